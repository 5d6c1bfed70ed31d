-- concepts_living(tenant text, limit_rows bigint) -> Living
-- The last noted first.
select concept_id from thoth.substrate_concepts
where tenant_id = $1 and expires_at > (select thoth.substrate_now()) order by renewed_at desc, concept_id desc limit $2
