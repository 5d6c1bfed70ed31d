-- indexer_fresh(tenant text, after uuid, through uuid, since timestamptz, longest_chars integer, limit_rows bigint) -> Fresh
-- The next slices by id; the words of those that an agent may index, and no diary. What happened before `since` is over.
select s.slice_id, st.stream, s.session_id, s.actor, s.event_time, s.trust, encode(s.content_hash, 'hex') as content_hash,
    coalesce(s.metadata ->> 'kind', '') as kind,
    case when s.triage_state = 'passed' and not s.forgotten and s.consolidation_state not in ('released', 'exempt')
        and s.event_time >= $4 and st.family <> 'self_state' and (st.family <> 'self_action' or st.modality = 'text')
        then left(s.text, $5 + 1) else '' end as text, 0::bigint as passage_id
from thoth.substrate_slices s join thoth.substrate_streams st on st.stream_id = s.stream_id
where s.tenant_id = $1 and s.slice_id > $2 and s.slice_id <= $3 and s.ingest_time >= thoth.substrate_id_time($2)
order by s.slice_id limit $6
