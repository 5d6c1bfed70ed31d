-- texts(tenant text, slice_ids uuid[]) -> Texts
-- All words of a batch: what was said, and what was kept beside it or quoted of it while it was still there.
select coalesce(array_agg(t.text) filter (where t.said), '{}') as said, coalesce(array_agg(t.text) filter (where not t.said), '{}') as beside
from (
    select s.text, true as said
    from unnest($2::uuid[]) w(slice_id)
    join thoth.substrate_slices s
        on s.tenant_id = $1 and s.slice_id = w.slice_id and s.ingest_time = thoth.substrate_id_time(w.slice_id)
    union all
    select coalesce(s.payload::text, '') || ' ' || s.metadata::text, false
    from unnest($2::uuid[]) w(slice_id)
    join thoth.substrate_slices s
        on s.tenant_id = $1 and s.slice_id = w.slice_id and s.ingest_time = thoth.substrate_id_time(w.slice_id)
    union all
    select c.quote, false from unnest($2::uuid[]) w(slice_id) join thoth.substrate_citations c on c.tenant_id = $1 and c.slice_id = w.slice_id
    union all
    select d.summary || ' ' || array_to_string(d.topics, ' '), false
    from unnest($2::uuid[]) w(slice_id) join thoth.substrate_digests d on d.tenant_id = $1 and d.slice_id = w.slice_id
) t
