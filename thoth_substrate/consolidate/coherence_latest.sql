-- coherence_latest(tenant text) -> Measured
-- The last measurement: recall's floor and the Conductor go by it.
select observation_id, score::double precision as score, detail, observed_at
from thoth.substrate_observations
where tenant_id = $1 and kind = 'coherence' and retracted_at is null
order by observed_at desc, observation_id desc
limit 1
