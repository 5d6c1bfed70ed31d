-- index_skip(tenant text, slice_ids uuid[]) -> -
-- Take out of the queue what is not to be searched: forgotten, released, not passed, or gone with its month.
delete from thoth.substrate_unindexed u
using unnest($2::uuid[]) w(slice_id)
where u.tenant_id = $1 and u.slice_id = w.slice_id and not exists (
    select from thoth.substrate_slices s
    where s.tenant_id = $1 and s.slice_id = w.slice_id and s.ingest_time = thoth.substrate_id_time(w.slice_id)
        and s.triage_state = 'passed' and not s.forgotten and s.consolidation_state not in ('released', 'exempt')
)
