-- freed_state(tenant text, slice_ids uuid[]) -> -
-- What was made of them no longer holds whole: they are partial until it is made again.
update thoth.substrate_slices s set consolidation_state = 'partial'
from unnest($2::uuid[]) w(slice_id)
where s.tenant_id = $1 and s.slice_id = w.slice_id and s.ingest_time = thoth.substrate_id_time(w.slice_id)
    and s.consolidation_state = 'consolidated'
