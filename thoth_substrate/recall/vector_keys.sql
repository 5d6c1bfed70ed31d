-- vector_keys(tenant text, model text) -> VectorKeys
-- Which vectors a tenant has, in the key's order so that the key's index is read alone, and of which version: the row that every change touches.
select (
        select d.oid || '/' || s.xmin from thoth.substrate_vector_stats s join pg_database d on d.datname = current_database()
        where s.tenant_id = $1 and s.model = $2
    ) as version,
    coalesce(array_agg(passage_id * 2 + (kind = 'window')::int), '{}') as keys
from (
    select passage_id, kind from thoth.substrate_passage_vectors where tenant_id = $1 and model = $2 order by passage_id, kind
) v
