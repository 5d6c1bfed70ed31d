-- indexer_window(tenant text, stream text, session text, from_time timestamptz, to_time timestamptz, longest_chars integer, limit_rows bigint) -> Fresh
-- What is left of a window that a purge touched, to be read again.
select s.slice_id, st.stream, s.session_id, s.actor, s.event_time, s.trust, encode(s.content_hash, 'hex') as content_hash,
    coalesce(s.metadata ->> 'kind', '') as kind, left(s.text, $6 + 1) as text, 0::bigint as passage_id
from thoth.substrate_slices s join thoth.substrate_streams st on st.stream_id = s.stream_id
where s.tenant_id = $1 and s.session_id = $3 and s.event_time between $4 and $5 and s.triage_state = 'passed' and not s.forgotten
    and s.consolidation_state not in ('released', 'exempt') and (st.stream = $2 or (st.family = 'self_action' and st.modality = 'text'))
order by s.event_time, s.slice_id limit $7
