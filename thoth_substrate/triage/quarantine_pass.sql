-- quarantine_pass(tenant text, slice_id uuid, ingest_time timestamptz, before text) -> TriageState
-- The operator vouches for it: passed with full trust, and on to the next queues like any other.
with moved as (
    update thoth.substrate_slices s set triage_state = 'passed', triage_reason = null, trust = 1
    where s.tenant_id = $1 and s.slice_id = $2 and s.ingest_time = $3 and s.triage_state = $4
        and s.released_at is null and not s.forgotten
    returning s.slice_id, s.triage_state
), unindexed as (
    insert into thoth.substrate_unindexed (tenant_id, slice_id) select $1, slice_id from moved
    on conflict (tenant_id, slice_id) do nothing
), unconsolidated as (
    insert into thoth.substrate_unconsolidated (tenant_id, slice_id) select $1, slice_id from moved
    on conflict (tenant_id, slice_id) do nothing
)
select triage_state as state, true as content from moved
