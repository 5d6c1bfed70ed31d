-- standing(agent text) -> Standing
-- Why a worker may not tick now.
select case when a.override_until > thoth.substrate_now() then coalesce(a.override_level, a.level) else a.level end as level,
    case when a.lease_until > thoth.substrate_now() then a.lease_holder end as holder
from thoth.substrate_agents a where a.agent = $1
