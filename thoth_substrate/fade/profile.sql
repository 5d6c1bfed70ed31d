-- profile(name text) -> DecayProfile
-- One decay profile as it stands, locked so that two operators do not undo each other.
select profile as name, half_life, floor, reinforce, pending_ttl, consolidation_window, tombstone, tombstone_reason,
    release_unconsolidated_after, expire_after
from thoth.substrate_profiles where profile = $1 for no key update
