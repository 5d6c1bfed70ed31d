-- default_partitions() -> DefaultPartitionRow
-- There must be none: one stray row in it blocks its month, and it forbids detaching concurrently.
select c.relname::text as table, d.relname::text as partition
from pg_partitioned_table p
join pg_class c on c.oid = p.partrelid
join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'thoth'
join pg_class d on d.oid = p.partdefid
order by c.relname
