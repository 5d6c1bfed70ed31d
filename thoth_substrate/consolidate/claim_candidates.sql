-- claim_candidates(tenant text, limit_rows bigint) -> Candidate
-- The longest waiting of those that are due, with what decides whether their session is taken. No content is read.
with due as materialized (
    select slice_id, queued_at from thoth.substrate_unconsolidated
    where tenant_id = $1 and not_before <= thoth.substrate_now() and claimed_until <= thoth.substrate_now()
    order by slice_id
    limit $2
)
select d.slice_id, coalesce(s.session_id, '') as session_id, coalesce(s.event_time, 'epoch') as event_time, d.queued_at,
    coalesce(octet_length(s.text), 0) as bytes,
    coalesce(s.triage_state = 'passed' and not s.forgotten and s.consolidation_state in ('unconsolidated', 'partial')
        and st.stream not like 'substrate.%', false) as wanted,
    -- not `not exists`, which the planner may answer by reading the whole other queue
    coalesce((select false from thoth.substrate_unindexed u where u.tenant_id = $1 and u.slice_id = d.slice_id limit 1), true) as indexed,
    coalesce(thoth.substrate_id_time(d.slice_id) + p.consolidation_window <= thoth.substrate_now(), false) as late
from due d
left join thoth.substrate_slices s
    on s.tenant_id = $1 and s.slice_id = d.slice_id and s.ingest_time = thoth.substrate_id_time(d.slice_id)
left join thoth.substrate_streams st on st.stream_id = s.stream_id
left join thoth.substrate_profiles p on p.profile = st.profile
order by d.slice_id
