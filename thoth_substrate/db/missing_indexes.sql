-- missing_indexes() -> MissingIndex
-- Partitions that lack an index which their parent or a sibling has, or whose copy of it is not valid: searches there would scan.
with defined as (
    select coalesce(i.inhparent, x.indrelid) as parent, x.indrelid as relation,
           regexp_replace(pg_get_indexdef(x.indexrelid), '^CREATE (UNIQUE )?INDEX \S+ ON (ONLY )?\S+ ', '\1') as definition,
           x.indisvalid
    from pg_index x
    join pg_class c on c.oid = x.indrelid and c.relnamespace = 'thoth'::regnamespace
    left join pg_inherits i on i.inhrelid = x.indrelid
    where c.relispartition or c.relkind = 'p'
), wanted as (
    select distinct parent, definition from defined
)
select p.relname::text as parent, c.relname::text as partition, w.definition
from wanted w
join pg_inherits i on i.inhparent = w.parent
join pg_class c on c.oid = i.inhrelid
join pg_class p on p.oid = w.parent
where not i.inhdetachpending
  and not exists (select from defined d where d.relation = c.oid and d.definition = w.definition and d.indisvalid)
order by 1, 2, 3
