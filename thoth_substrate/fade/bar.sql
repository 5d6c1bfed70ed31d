-- bar(tenant text, slice_ids uuid[]) -> -
-- Forgotten from this moment, whatever they were: found no more, promoted never.
update thoth.substrate_slices s set forgotten = true
from unnest($2::uuid[]) w(slice_id)
where s.tenant_id = $1 and s.slice_id = w.slice_id and s.ingest_time = thoth.substrate_id_time(w.slice_id) and not s.forgotten
