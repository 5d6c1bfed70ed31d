-- concepts_touched(tenant text, slice_ids uuid[]) -> Touched
-- Those with a window of a conversation in which one of these slices lies; the agent's own words lie in their session's.
select distinct x.concept_id
from unnest($2::uuid[]) w(slice_id)
join thoth.substrate_slices s
    on s.tenant_id = $1 and s.slice_id = w.slice_id and s.ingest_time = thoth.substrate_id_time(w.slice_id)
join thoth.substrate_streams st on st.stream_id = s.stream_id
join thoth.substrate_sources x on x.tenant_id = $1 and x.type = 'conversation'
    and (x.ref = st.stream || '/' || s.session_id
        or (st.family = 'self_action' and substr(x.ref, strpos(x.ref, '/') + 1) = s.session_id))
    and s.event_time between x.from_time and x.to_time
order by x.concept_id
