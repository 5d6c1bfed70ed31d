-- observations_made(tenant text, observation_ids bigint[], kinds text[], statements text[], details text[], agent text, model text, decision_id uuid) -> -
-- What the mind notes of itself. Never a fact.
insert into thoth.substrate_observations (tenant_id, observation_id, kind, statement, detail, agent, model, decision_id)
select $1, w.observation_id, w.kind, w.statement, w.detail::jsonb, $6, $7, $8
from unnest($2::bigint[], $3::text[], $4::text[], $5::text[]) w(observation_id, kind, statement, detail)
on conflict do nothing
