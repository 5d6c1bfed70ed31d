-- indexer_late(tenant text, after_passage bigint, newest_passage bigint, through uuid, since timestamptz, longest_chars integer, limit_rows bigint) -> Fresh
-- What became searchable since the last run though its id lies before the cursor: replayed from a journal after hours, or let out of quarantine.
select s.slice_id, st.stream, s.session_id, s.actor, s.event_time, s.trust, encode(s.content_hash, 'hex') as content_hash,
    coalesce(s.metadata ->> 'kind', '') as kind, left(s.text, $6 + 1) as text, p.passage_id
from thoth.substrate_passages p
join thoth.substrate_slices s on s.tenant_id = $1 and s.slice_id = p.slice_id and s.ingest_time = thoth.substrate_id_time(p.slice_id)
join thoth.substrate_streams st on st.stream_id = s.stream_id
where p.tenant_id = $1 and p.passage_id > $2 and p.passage_id <= $3 and p.passage_no = 0 and p.slice_id <= $4
    and s.triage_state = 'passed' and not s.forgotten and s.consolidation_state not in ('released', 'exempt') and s.event_time >= $5
    and st.family <> 'self_state' and (st.family <> 'self_action' or st.modality = 'text')
order by p.passage_id limit $7
