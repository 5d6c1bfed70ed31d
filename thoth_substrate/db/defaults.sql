-- defaults() -> DefaultPartition
-- There is none unless somebody made one by hand: it forbids concurrent detach, and a row in it blocks that row's month.
select p.relname::text as parent, d.relname::text as child, greatest(d.reltuples, 0)::bigint as rows
from pg_partitioned_table t
join pg_class p on p.oid = t.partrelid
join pg_class d on d.oid = t.partdefid
where p.relnamespace = 'thoth'::regnamespace
order by p.relname
