-- pass_claimed(limit_rows bigint) -> Passed
-- Claim and pass the oldest, with their places in the next queues, in one statement. It waits for no lock: a slice that is
-- being forgotten right now holds its row and wants its place in this queue, and waiting for it would be a deadlock.
with claimed as materialized (
    select tenant_id, slice_id from thoth.substrate_pending order by queued_at limit $1 for update skip locked
), held as materialized (
    select s.tenant_id, s.slice_id, s.ingest_time, s.forgotten, s.consolidation_state
    from claimed c
    join thoth.substrate_slices s
        on s.tenant_id = c.tenant_id and s.slice_id = c.slice_id and s.ingest_time = thoth.substrate_id_time(c.slice_id)
    for no key update of s skip locked
), taken as (
    delete from thoth.substrate_pending p using held h where p.tenant_id = h.tenant_id and p.slice_id = h.slice_id
), passed as (
    update thoth.substrate_slices s set triage_state = 'passed'
    from held h
    where s.tenant_id = h.tenant_id and s.slice_id = h.slice_id and s.ingest_time = h.ingest_time and s.triage_state = 'pending'
    returning s.tenant_id, s.slice_id, not s.forgotten and s.consolidation_state not in ('released', 'exempt') as wanted
), unindexed as (
    insert into thoth.substrate_unindexed (tenant_id, slice_id)
    select tenant_id, slice_id from passed where wanted
    on conflict (tenant_id, slice_id) do nothing
), unconsolidated as (
    insert into thoth.substrate_unconsolidated (tenant_id, slice_id)
    select tenant_id, slice_id from passed where wanted
    on conflict (tenant_id, slice_id) do nothing
)
select count(*)::int as passed from passed
