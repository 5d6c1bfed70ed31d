-- embedding_models(tenant text) -> ModelLine
-- Counters are kept by the embed step, so nothing is counted here.
select m.model, m.dimensions, m.active, m.registered_at, coalesce(v.turns, 0) as passages, coalesce(v.vectors, 0) as vectors
from thoth.substrate_embedding_models m
left join thoth.substrate_vector_stats v on v.tenant_id = $1 and v.model = m.model
order by m.active desc, m.model
