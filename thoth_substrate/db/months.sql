-- months() -> Month
-- What is kept by month: attached, being detached, or detached and marked for dropping but not dropped yet.
select p.relname::text as parent, c.relname::text as child,
    to_date(right(c.relname::text, -length(p.relname::text) - 2), 'YYYY"m"MM') as first,
    i.inhrelid is not null as attached, coalesce(i.inhdetachpending, false) as detaching,
    coalesce(obj_description(c.oid, 'pg_class') = 'thoth: spent, to be dropped', false) as marked
from pg_class p
join pg_class c on c.relnamespace = p.relnamespace and c.relkind = 'r' and c.relname::text ~ ('^' || p.relname::text || '_y\d{4,}m\d{2}$')
left join pg_inherits i on i.inhrelid = c.oid and i.inhparent = p.oid
where p.relnamespace = 'thoth'::regnamespace and p.relkind = 'p'
    and p.relname in ('substrate_slices', 'substrate_salience_events', 'substrate_recall_log')
order by p.relname, first
