-- postpone(tenant text, slice_ids uuid[]) -> -
-- Faded but not allowed to go (its profile opted out since, or asks for more patience): it leaves the head of what is due.
update thoth.substrate_salience m
set releasable = p.release_unconsolidated_after is not null,
    fades_at = greatest(m.fades_at, thoth.substrate_id_time(m.slice_id) + p.release_unconsolidated_after)
from unnest($2::uuid[]) w(slice_id), thoth.substrate_profiles p
where m.tenant_id = $1 and m.slice_id = w.slice_id and p.profile = m.profile
