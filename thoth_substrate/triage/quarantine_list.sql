-- quarantine_list(tenant text, states text[], limit_rows bigint) -> Kept
-- What was kept back, newest first: an operator's question, so that a walk back through the months is allowed.
select s.slice_id as slice_id, s.ingest_time as ingest_time, s.event_time as event_time, t.stream as stream, s.session_id as session_id,
    s.actor as actor, s.triage_state as state, coalesce(s.triage_reason, '') as reason, s.trust as trust, left(s.text, 200) as excerpt
from thoth.substrate_slices s
join thoth.substrate_streams t on t.stream_id = s.stream_id
where s.tenant_id = $1 and s.triage_state = any($2::text[]) and s.consolidation_state <> 'released'
order by s.slice_id desc
limit $3
