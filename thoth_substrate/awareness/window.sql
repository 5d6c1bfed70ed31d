-- window(tenant text, stream text, session text, from_time timestamptz, to_time timestamptz, limit_rows bigint) -> Row
-- A conversation's window in the order of its events, with the agent's own words in the same session; what triage did not pass is not shown.
select s.slice_id, st.stream, s.actor, s.event_time,
    case when s.forgotten then 'forgotten' when s.consolidation_state = 'released' then 'released' else 'kept' end as state,
    case when s.forgotten then '' else s.text end as text, s.external_id, st.source as origin
from thoth.substrate_slices s join thoth.substrate_streams st on st.stream_id = s.stream_id
where s.tenant_id = $1 and s.session_id = $3 and s.event_time between $4 and $5 and s.triage_state = 'passed'
    and s.consolidation_state <> 'exempt' and (st.stream = $2 or (st.family = 'self_action' and st.modality = 'text'))
order by s.event_time, s.slice_id limit $6
