-- stored(tenant text, source text, external_ids text[]) -> Stored
-- Which sections of a version are in the database, and as which slices: what is not here was not taken in, whoever says so.
select k.external_id, k.slice_id
from thoth.substrate_external_ids k
where k.tenant_id = $1 and k.source = $2 and k.external_id = any ($3::text[])
