-- counts(tenant text) -> Count
-- What a tenant has by stream and state: one pass over its own slices. For people who ask, never on a turn.
select t.stream, c.triage_state, c.consolidation_state, c.forgotten, c.slices, c.last_event, c.last_perceived
from (
    select s.stream_id, s.triage_state, s.consolidation_state, s.forgotten,
           count(*) as slices, max(s.event_time) as last_event, max(s.ingest_time) as last_perceived
    from thoth.substrate_slices s
    where s.tenant_id = $1
    group by s.stream_id, s.triage_state, s.consolidation_state, s.forgotten
) c
join thoth.substrate_streams t using (stream_id)
order by t.stream
