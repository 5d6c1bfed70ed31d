-- relabelled(tenant text, slice_ids uuid[], labels jsonb) -> -
-- What is noted beside the words, where they are still there: a file's path after it was moved.
update thoth.substrate_slices s set metadata = s.metadata || $3::jsonb
from unnest($2::uuid[]) w(slice_id)
where s.tenant_id = $1 and s.slice_id = w.slice_id and s.ingest_time = thoth.substrate_id_time(w.slice_id)
    and s.consolidation_state <> 'released'
