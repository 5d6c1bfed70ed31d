-- concept_extended(tenant text, concept_id bigint, expires_at timestamptz, decision uuid) -> -
-- A topic that goes on: later at most, never sooner.
update thoth.substrate_concepts
set expires_at = greatest(expires_at, $3), renewed_at = thoth.substrate_now(), decision_id = coalesce($4, decision_id)
where tenant_id = $1 and concept_id = $2
