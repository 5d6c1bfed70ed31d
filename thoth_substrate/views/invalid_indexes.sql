-- invalid_indexes() -> InvalidIndexRow
-- An interrupted build leaves an index that costs writing and serves no reading.
select t.relname::text as table, x.relname::text as index
from pg_index i
join pg_class x on x.oid = i.indexrelid
join pg_class t on t.oid = i.indrelid
join pg_namespace n on n.oid = t.relnamespace and n.nspname = 'thoth'
where not i.indisvalid
order by t.relname, x.relname
