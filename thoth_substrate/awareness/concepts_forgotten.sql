-- concepts_forgotten(tenant text, concept_ids bigint[]) -> -
-- Keywords and sources go with them, by cascade.
delete from thoth.substrate_concepts where tenant_id = $1 and concept_id = any ($2::bigint[])
