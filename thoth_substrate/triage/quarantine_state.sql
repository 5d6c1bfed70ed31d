-- quarantine_state(tenant text, slice_id uuid, ingest_time timestamptz) -> TriageState
-- How a slice stands, to say why it was not moved.
select triage_state as state, released_at is null and not forgotten as content
from thoth.substrate_slices where tenant_id = $1 and slice_id = $2 and ingest_time = $3
