-- months_ahead() -> MonthsAhead
-- A flush that meets a missing month creates it, so a gap is no disaster; but that they are missing means that nobody works.
select parent.relname::text as table,
       bool_or(m.n = 0 and child.relname is not null) as current,
       count(child.relname) filter (where m.n > 0)::integer as ahead
from pg_class parent
join pg_namespace space on space.oid = parent.relnamespace and space.nspname = 'thoth'
cross join generate_series(0, 12) m(n)
cross join lateral (
    select date_trunc('month', thoth.substrate_now() at time zone 'UTC') + make_interval(months => m.n) as first
) month
left join (
    select i.inhparent, c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
) child on child.inhparent = parent.oid
       and child.relname = parent.relname || '_y' || to_char(month.first, 'YYYY') || 'm' || to_char(month.first, 'MM')
where parent.relname in ('substrate_slices', 'substrate_salience_events', 'substrate_recall_log')
group by parent.relname
order by parent.relname
