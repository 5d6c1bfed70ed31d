-- observations_known(tenant text, kinds text[], limit_rows bigint) -> Observation
-- Living observations of these kinds, newest first.
select observation_id, kind, statement, detail, observed_at
from thoth.substrate_observations
where tenant_id = $1 and kind = any($2::text[]) and retracted_at is null
order by observed_at desc, observation_id desc
limit $3
