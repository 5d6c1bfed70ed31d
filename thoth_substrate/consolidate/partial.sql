-- partial(tenant text, slice_ids uuid[]) -> -
-- Some passages are settled, others not: they stay queued until the rest is.
update thoth.substrate_slices s
set consolidation_state = 'partial'
from unnest($2::uuid[]) w(slice_id)
where s.tenant_id = $1 and s.slice_id = w.slice_id and s.ingest_time = thoth.substrate_id_time(w.slice_id)
    and s.consolidation_state = 'unconsolidated'
