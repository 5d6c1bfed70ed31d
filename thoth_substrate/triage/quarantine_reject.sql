-- quarantine_reject(tenant text, slice_id uuid, ingest_time timestamptz, reason text) -> TriageState
-- The operator agrees with the defence.
update thoth.substrate_slices s set triage_state = 'rejected', triage_reason = $4
where s.tenant_id = $1 and s.slice_id = $2 and s.ingest_time = $3 and s.triage_state = 'quarantined'
returning s.triage_state as state, true as content
