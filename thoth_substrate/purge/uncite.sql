-- uncite(tenant text, slice_ids uuid[]) -> -
-- The quotes go.
delete from thoth.substrate_citations where tenant_id = $1 and slice_id = any ($2::uuid[])
