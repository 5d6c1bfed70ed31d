-- summary_originals(tenant text, slice_ids uuid[]) -> Original
-- Those that still hold what was summed up, locked in order until the summary stands: nothing forgotten is told on.
select s.slice_id
from unnest($2::uuid[]) w(slice_id)
join thoth.substrate_slices s
    on s.tenant_id = $1 and s.slice_id = w.slice_id and s.ingest_time = thoth.substrate_id_time(w.slice_id)
where s.triage_state = 'passed' and not s.forgotten and s.consolidation_state not in ('released', 'exempt')
order by s.slice_id
for share of s
