-- index_claim(tenant text, slice_ids uuid[]) -> ClaimedSlice
-- Re-check under lock, waiting for nobody: a slice that is being changed right now is left for the next tick.
with locked as materialized (
    select s.slice_id
    from unnest($2::uuid[]) w(slice_id)
    join thoth.substrate_slices s
        on s.tenant_id = $1 and s.slice_id = w.slice_id and s.ingest_time = thoth.substrate_id_time(w.slice_id)
    where s.triage_state = 'passed' and not s.forgotten and s.consolidation_state not in ('released', 'exempt')
    order by s.slice_id
    for share of s skip locked
)
select u.slice_id as slice_id
from locked join thoth.substrate_unindexed u on u.tenant_id = $1 and u.slice_id = locked.slice_id
for update of u skip locked
