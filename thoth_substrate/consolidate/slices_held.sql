-- slices_held(tenant text, slice_ids uuid[]) -> SliceState
-- The slices under lock, in the order of their ids: neither forgotten nor released while their meaning is written.
select s.slice_id, encode(s.content_hash, 'hex') as content_hash, s.consolidation_state as state,
    s.triage_state = 'passed' and not s.forgotten and s.consolidation_state in ('unconsolidated', 'partial') as wanted
from unnest($2::uuid[]) w(slice_id)
join thoth.substrate_slices s
    on s.tenant_id = $1 and s.slice_id = w.slice_id and s.ingest_time = thoth.substrate_id_time(w.slice_id)
order by s.slice_id
for no key update of s
