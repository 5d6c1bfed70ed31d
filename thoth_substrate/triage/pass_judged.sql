-- pass_judged(tenant text, slice_ids uuid[], states text[], reasons text[], trusts real[]) -> Judged
-- Write the defence's verdicts on those that still wait, with the places of the passed in the next queues. Waits for no lock.
with claimed as materialized (
    select p.slice_id, v.state, v.reason, v.trust
    from unnest($2::uuid[], $3::text[], $4::text[], $5::real[]) v(slice_id, state, reason, trust)
    join thoth.substrate_pending p on p.tenant_id = $1 and p.slice_id = v.slice_id
    for update of p skip locked
), held as materialized (
    select c.*, s.ingest_time
    from claimed c
    join thoth.substrate_slices s
        on s.tenant_id = $1 and s.slice_id = c.slice_id and s.ingest_time = thoth.substrate_id_time(c.slice_id)
    for no key update of s skip locked
), taken as (
    delete from thoth.substrate_pending p using held h where p.tenant_id = $1 and p.slice_id = h.slice_id
), moved as (
    update thoth.substrate_slices s set triage_state = h.state, triage_reason = h.reason, trust = h.trust
    from held h
    where s.tenant_id = $1 and s.slice_id = h.slice_id and s.ingest_time = h.ingest_time and s.triage_state = 'pending'
    returning s.slice_id, h.state, h.trust, not s.forgotten and s.consolidation_state not in ('released', 'exempt') as wanted
), unindexed as (
    insert into thoth.substrate_unindexed (tenant_id, slice_id)
    select $1, slice_id from moved where wanted and state = 'passed'
    on conflict (tenant_id, slice_id) do nothing
), unconsolidated as (
    insert into thoth.substrate_unconsolidated (tenant_id, slice_id)
    select $1, slice_id from moved where wanted and state = 'passed'
    on conflict (tenant_id, slice_id) do nothing
)
select count(*) filter (where state = 'passed')::int as passed, count(*) filter (where state = 'quarantined')::int as quarantined,
    count(*) filter (where state = 'passed' and trust < 1)::int as suspicious
from moved
