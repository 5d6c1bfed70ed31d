-- put_off(tenant text, slice_ids uuid[], waits interval[], failures text[]) -> -
-- Tried in vain: due again after its own wait, free for anybody then. Their rows are locked by the transaction already.
with tried as (
    update thoth.substrate_slices s
    set consolidation_attempts = least(s.consolidation_attempts + 1, 32767)
    from unnest($2::uuid[]) w(slice_id)
    where s.tenant_id = $1 and s.slice_id = w.slice_id and s.ingest_time = thoth.substrate_id_time(w.slice_id)
)
update thoth.substrate_unconsolidated q
set attempts = q.attempts + 1, not_before = thoth.substrate_now() + w.wait, claimed_until = '-infinity', claim = null, failure = w.failure
from unnest($2::uuid[], $3::interval[], $4::text[]) w(slice_id, wait, failure)
where q.tenant_id = $1 and q.slice_id = w.slice_id
