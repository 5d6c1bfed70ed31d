-- stale(tenant text, slice_ids uuid[]) -> -
-- An anchor whose slice is released or gone with its month has nothing left to fade; it would stay due for ever.
delete from thoth.substrate_salience m
using unnest($2::uuid[]) w(slice_id)
where m.tenant_id = $1 and m.slice_id = w.slice_id and not exists (
    select from thoth.substrate_slices s
    where s.tenant_id = $1 and s.slice_id = w.slice_id and s.ingest_time = thoth.substrate_id_time(w.slice_id)
        and s.consolidation_state <> 'released'
)
