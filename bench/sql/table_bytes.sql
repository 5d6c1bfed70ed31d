-- Bytes of heap and of indexes of every kind of table, partitions added up.
select regexp_replace(c.relname, '_(h|y)\d+(m\d+)?$', '') || case part.name when 'heap' then '' else ' indexes' end as name,
    sum(case part.name when 'heap' then pg_table_size(c.oid) else pg_indexes_size(c.oid) end)::bigint as bytes
from pg_class c cross join (values ('heap'), ('indexes')) part(name)
where c.relnamespace = 'thoth'::regnamespace and c.relkind = 'r'
group by 1
order by 1
