-- concept_made(tenant text, expires_at timestamptz, decision uuid) -> Made
-- A topic that nobody knew yet.
insert into thoth.substrate_concepts (tenant_id, expires_at, decision_id) values ($1, $2, $3) returning concept_id
