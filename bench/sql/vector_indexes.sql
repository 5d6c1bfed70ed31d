-- The vector indexes: dropped before a bulk load, made again after it.
select schemaname || '.' || indexname, indexdef from pg_indexes
where schemaname = 'thoth' and tablename like 'substrate\_passage\_vectors\_h%' and indexdef ilike '%using hnsw%'
