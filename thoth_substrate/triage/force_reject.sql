-- force_reject(limit_rows bigint, fresh_s float8) -> Rejected
-- Bound the queue: what a live Sentinel has not taken within its profile's time is rejected. The wait counts from when the
-- Sentinel came alive, and not at all while its heartbeat is stale: an outage is nobody's fault.
with sentinel as materialized (
    select alive_since from thoth.substrate_agents
    where agent = 'sentinel' and alive_since is not null and heartbeat_at > thoth.substrate_now() - make_interval(secs => $2)
), overdue as materialized (
    select p.tenant_id, p.slice_id, pr.profile, pr.pending_ttl
    from sentinel
    join thoth.substrate_pending p on p.queued_at < thoth.substrate_now() - (select min(pending_ttl) from thoth.substrate_profiles)
    join thoth.substrate_profiles pr on pr.profile = p.profile
    where greatest(p.queued_at, sentinel.alive_since) + pr.pending_ttl < thoth.substrate_now()
    order by p.queued_at limit $1
    for update of p skip locked
), held as materialized (
    select o.*, s.ingest_time
    from overdue o
    join thoth.substrate_slices s
        on s.tenant_id = o.tenant_id and s.slice_id = o.slice_id and s.ingest_time = thoth.substrate_id_time(o.slice_id)
    for no key update of s skip locked
), orphans as (
    -- a slice that has gone with its month would stand at the head of the queue for ever
    delete from thoth.substrate_pending p using overdue o
    where p.tenant_id = o.tenant_id and p.slice_id = o.slice_id and not exists (
        select from thoth.substrate_slices s
        where s.tenant_id = o.tenant_id and s.slice_id = o.slice_id and s.ingest_time = thoth.substrate_id_time(o.slice_id)
    )
), taken as (
    delete from thoth.substrate_pending p using held h where p.tenant_id = h.tenant_id and p.slice_id = h.slice_id
), rejected as (
    update thoth.substrate_slices s
    set triage_state = 'rejected', triage_reason = format('waited longer than %s (profile %s) for triage', h.pending_ttl, h.profile)
    from held h
    where s.tenant_id = h.tenant_id and s.slice_id = h.slice_id and s.ingest_time = h.ingest_time and s.triage_state = 'pending'
    returning s.slice_id
)
select count(*)::int as rejected from rejected
