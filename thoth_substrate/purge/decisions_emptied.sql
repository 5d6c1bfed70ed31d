-- decisions_emptied(tenant text, slice_ids uuid[]) -> -
-- The payload goes; its digest and its link stay, so that the chain is whole.
update thoth.substrate_slices s set payload = null
from unnest($2::uuid[]) w(slice_id)
where s.tenant_id = $1 and s.slice_id = w.slice_id and s.ingest_time = thoth.substrate_id_time(w.slice_id)
    and s.consolidation_state = 'exempt' and s.payload is not null
