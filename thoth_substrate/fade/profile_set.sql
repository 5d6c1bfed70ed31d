-- profile_set(name text, half_life interval, floor real, reinforce real, pending_ttl interval, consolidation_window interval, tombstone text, tombstone_reason text, release_unconsolidated_after interval, expire_after interval) -> -
-- The whole row: what was not changed is written as it was.
update thoth.substrate_profiles
set half_life = $2, floor = $3, reinforce = $4, pending_ttl = $5, consolidation_window = $6, tombstone = $7, tombstone_reason = $8,
    release_unconsolidated_after = $9, expire_after = $10
where profile = $1
