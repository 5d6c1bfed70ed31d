-- page_observations(tenant text, before bigint, limit_rows bigint) -> ObservationLine
-- What the substrate thinks of itself, its dreams and questions, the newest number first, down the primary key.
select o.observation_id as row_id, o.kind, o.statement, o.score::float8 as score, o.observed_at, o.agent
from thoth.substrate_observations o
where o.tenant_id = $1 and o.observation_id < $2 and o.retracted_at is null
order by o.observation_id desc
limit $3
