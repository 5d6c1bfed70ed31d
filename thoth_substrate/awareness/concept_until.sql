-- concept_until(tenant text, concept_id bigint, expires_at timestamptz) -> -
-- Somebody says that it matters for longer: the time when it was noted stays.
update thoth.substrate_concepts set expires_at = greatest(expires_at, $3) where tenant_id = $1 and concept_id = $2
