-- summarizer_told(tenant text, session text, summary_stream text, through uuid, longest_bytes integer, limit_rows bigint) -> Told
-- The words of a session after its newest summary, in the order in which they were perceived, with their passages.
select s.slice_id, s.stream, s.actor, s.event_time, s.trust, encode(s.content_hash, 'hex') as content_hash, s.text,
    p.numbers, p.starts, p.ends
from (
    select s.*, st.stream
    from thoth.substrate_slices s join thoth.substrate_streams st on st.stream_id = s.stream_id and st.stream <> $3
    where s.tenant_id = $1 and s.session_id = $2 and s.triage_state = 'passed' and not s.forgotten and s.text <> ''
        and s.consolidation_state not in ('released', 'exempt') and octet_length(s.text) <= $5
        and ($4::uuid is null or s.slice_id > $4)
    order by s.slice_id limit $6
) s
cross join lateral (
    select coalesce(array_agg(p.passage_no::integer order by p.passage_no), '{}') as numbers,
        coalesce(array_agg(p.char_start order by p.passage_no), '{}') as starts,
        coalesce(array_agg(p.char_end order by p.passage_no), '{}') as ends
    from thoth.substrate_passages p
    where p.tenant_id = $1 and p.slice_id = s.slice_id
) p
order by s.slice_id
