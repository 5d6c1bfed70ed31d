-- consolidated(tenant text, slice_ids uuid[]) -> -
-- Every passage is settled: the trigger takes them from the queue and lets them fade. Locked by the transaction already.
update thoth.substrate_slices s
set consolidation_state = 'consolidated', consolidation_attempts = least(s.consolidation_attempts + 1, 32767)
from unnest($2::uuid[]) w(slice_id)
where s.tenant_id = $1 and s.slice_id = w.slice_id and s.ingest_time = thoth.substrate_id_time(w.slice_id)
