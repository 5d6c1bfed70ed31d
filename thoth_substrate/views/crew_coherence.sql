-- crew_coherence(tenant text) -> Measurement
-- A tenant's last measurement with its parts.
select o.score::double precision as score, o.detail, o.observed_at
from thoth.substrate_observations o
where o.tenant_id = $1
  and o.kind = 'coherence'
  and o.retracted_at is null
order by o.observed_at desc, o.observation_id desc
limit 1
