-- claim_sources(tenant text, slice_ids uuid[]) -> SourceRow
-- What an agent reads: the whole text, and where its passages begin and end.
select s.slice_id, st.stream, s.session_id, s.actor, s.event_time, s.event_offset_s, s.trust,
    encode(s.content_hash, 'hex') as content_hash, s.text, p.numbers, p.starts, p.ends
from unnest($2::uuid[]) w(slice_id)
join thoth.substrate_slices s
    on s.tenant_id = $1 and s.slice_id = w.slice_id and s.ingest_time = thoth.substrate_id_time(w.slice_id)
join thoth.substrate_streams st on st.stream_id = s.stream_id
cross join lateral (
    select coalesce(array_agg(p.passage_no order by p.passage_no), '{}') as numbers,
        coalesce(array_agg(p.char_start order by p.passage_no), '{}') as starts,
        coalesce(array_agg(p.char_end order by p.passage_no), '{}') as ends
    from thoth.substrate_passages p
    where p.tenant_id = $1 and p.slice_id = w.slice_id
) p
order by s.event_time, s.slice_id
