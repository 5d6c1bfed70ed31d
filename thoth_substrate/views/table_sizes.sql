-- table_sizes() -> TableSize
-- From the catalogue, as the owner; partitions are added to their parent.
select root.relname::text as table,
       (pg_total_relation_size(root.oid) + coalesce(sum(pg_total_relation_size(leaf.oid)), 0))::bigint as bytes,
       (greatest(case when root.relkind = 'r' then root.reltuples else 0 end, 0)
        + coalesce(sum(greatest(leaf.reltuples, 0)), 0))::bigint as rows_estimate
from pg_class root
join pg_namespace space on space.oid = root.relnamespace and space.nspname = 'thoth'
left join pg_inherits i on i.inhparent = root.oid
left join pg_class leaf on leaf.oid = i.inhrelid
where root.relkind in ('r', 'p')
  and not root.relispartition
group by root.oid, root.relname, root.relkind, root.reltuples
order by 2 desc, 1
