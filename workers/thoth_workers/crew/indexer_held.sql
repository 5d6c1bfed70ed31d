-- indexer_held(tenant text, slice_ids uuid[]) -> Held
-- Which of them may still be spoken of: somebody may have had one forgotten while the model thought.
select s.slice_id
from unnest($2::uuid[]) w(slice_id)
join thoth.substrate_slices s
    on s.tenant_id = $1 and s.slice_id = w.slice_id and s.ingest_time = thoth.substrate_id_time(w.slice_id)
where not s.forgotten and s.triage_state = 'passed' and s.consolidation_state <> 'released'
