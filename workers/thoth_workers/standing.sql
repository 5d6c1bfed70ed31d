-- standing(agent text) -> Standing
-- Why a worker may not tick now.
select thoth.substrate_intensity(a.level, a.override_level, a.override_until) as level,
    case when a.lease_until > thoth.substrate_now() then a.lease_holder end as holder
from thoth.substrate_agents a where a.agent = $1
