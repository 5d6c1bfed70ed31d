-- freed(tenant text, slice_ids uuid[]) -> FreedSlice
-- Slices to be promoted anew, locked in the order of their ids: those that still have their words and may be promoted.
select s.slice_id
from unnest($2::uuid[]) w(slice_id)
join thoth.substrate_slices s
    on s.tenant_id = $1 and s.slice_id = w.slice_id and s.ingest_time = thoth.substrate_id_time(w.slice_id)
where s.triage_state = 'passed' and not s.forgotten and s.consolidation_state in ('unconsolidated', 'partial', 'consolidated')
order by s.slice_id
for no key update of s
