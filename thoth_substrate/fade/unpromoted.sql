-- unpromoted(tenant text, slice_ids uuid[]) -> -
-- What is to be promoted anew may not fade away before that, unless its profile lets go of what was never promoted.
update thoth.substrate_salience m set releasable = false
from unnest($2::uuid[]) w(slice_id), thoth.substrate_profiles p
where m.tenant_id = $1 and m.slice_id = w.slice_id and p.profile = m.profile and p.release_unconsolidated_after is null and m.releasable
