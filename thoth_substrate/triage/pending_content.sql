-- pending_content(tenant text, slice_ids uuid[], limit_bytes bigint) -> Content
-- The content of waiting slices, in order, until it is more than a tick can judge. One longer than that comes alone.
with sized as materialized (
    -- octet_length reads a toasted text's size without fetching it
    select s.slice_id, s.ingest_time, sum(octet_length(s.text)) over (order by w.place) as bytes, w.place
    from unnest($2::uuid[]) with ordinality w(slice_id, place)
    join thoth.substrate_slices s
        on s.tenant_id = $1 and s.slice_id = w.slice_id and s.ingest_time = thoth.substrate_id_time(w.slice_id)
)
select n.slice_id as slice_id, t.stream as stream, t.family as family, s.text as text
from sized n
join thoth.substrate_slices s on s.tenant_id = $1 and s.slice_id = n.slice_id and s.ingest_time = n.ingest_time
join thoth.substrate_streams t on t.stream_id = s.stream_id
where n.bytes <= $3 or n.place = (select min(place) from sized)
order by n.place
