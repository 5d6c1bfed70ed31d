-- index_gather(tenant text, limit_rows bigint, limit_chars int) -> Gathered
-- The next slices of a tenant with the part of their text that has no passages yet, bounded by rows and by characters.
with waiting as materialized (
    select slice_id from thoth.substrate_unindexed where tenant_id = $1 order by slice_id limit $2
), sized as materialized (
    -- octet_length reads a toasted text's size without fetching it
    select w.slice_id, s.ingest_time, octet_length(s.text) as bytes,
        coalesce(s.triage_state = 'passed' and not s.forgotten and s.consolidation_state not in ('released', 'exempt'), false) as wanted
    from waiting w
    left join thoth.substrate_slices s
        on s.tenant_id = $1 and s.slice_id = w.slice_id and s.ingest_time = thoth.substrate_id_time(w.slice_id)
), near as materialized (
    select slice_id, ingest_time, wanted, coalesce(sum(case when wanted then least(bytes, $3) else 0 end)
        over (order by slice_id rows between unbounded preceding and 1 preceding), 0) as ahead
    from sized
)
select n.slice_id as slice_id, n.wanted as wanted, coalesce(s.session_id, '') as session_id, coalesce(s.actor, '') as actor,
    coalesce(s.stream_id, 0::smallint) as stream_id, coalesce(s.event_time, 'epoch') as event_time, coalesce(s.trust, 0) as trust,
    coalesce(substr(s.text, coalesce(done.char_start, 0) + 1, $3), '') as text,
    coalesce(done.char_start, 0) as char_start, coalesce(done.passage_no + 1, 0) as next_no
from near n
left join thoth.substrate_slices s
    on n.wanted and s.tenant_id = $1 and s.slice_id = n.slice_id and s.ingest_time = n.ingest_time
left join lateral (
    select p.passage_no, p.char_start from thoth.substrate_passages p
    where p.tenant_id = $1 and p.slice_id = n.slice_id order by p.passage_no desc limit 1
) done on true
where n.ahead < $3
order by n.slice_id
