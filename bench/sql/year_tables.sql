-- Every kind of table (a partitioned one once) with its bytes, indexes included, and its partitions.
select t.relname as name, sum(pg_total_relation_size(coalesce(p.relid, t.oid)))::bigint as bytes, count(p.relid)::integer as parts
from pg_class t left join lateral pg_partition_tree(t.oid) p on p.isleaf and t.relkind = 'p'
where t.relnamespace = 'thoth'::regnamespace and t.relkind in ('r', 'p') and not t.relispartition
group by t.relname
order by 1
