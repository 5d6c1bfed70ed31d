-- all_profiles() -> ProfileLine
-- A handful of rows, the same for every tenant.
select f.profile, f.half_life, f.floor, f.reinforce, f.pending_ttl, f.consolidation_window, f.tombstone, f.tombstone_reason,
       f.release_unconsolidated_after, f.expire_after,
       array(select t.stream from thoth.substrate_streams t where t.profile = f.profile order by t.stream) as streams
from thoth.substrate_profiles f
order by f.profile
