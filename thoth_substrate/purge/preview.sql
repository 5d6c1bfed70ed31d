-- preview(tenant text, slice_ids uuid[]) -> Preview
-- What a purge of these slices would take, counted without a lock: rows that rest on them alone, and rows that rest on others too.
with s as materialized (
    select x.slice_id, x.released_at is null as living
    from unnest($2::uuid[]) w(slice_id)
    join thoth.substrate_slices x
        on x.tenant_id = $1 and x.slice_id = w.slice_id and x.ingest_time = thoth.substrate_id_time(w.slice_id)
), p as materialized (
    select x.passage_id from s join thoth.substrate_passages x on x.tenant_id = $1 and x.slice_id = s.slice_id
), c as materialized (
    select x.row_id, count(*) as quotes from s join thoth.substrate_citations x on x.tenant_id = $1 and x.slice_id = s.slice_id group by x.row_id
), r as materialized (
    select c.row_id, c.quotes, exists (
        select from thoth.substrate_citations x where x.tenant_id = $1 and x.row_id = c.row_id and x.slice_id not in (select slice_id from s)
    ) as kept
    from c
), f as materialized (
    select r.row_id, r.kept from r join thoth.substrate_relationships x on x.tenant_id = $1 and x.relationship_id = r.row_id
), e as materialized (
    select r.row_id, r.kept from r join thoth.substrate_entities x on x.tenant_id = $1 and x.entity_id = r.row_id
)
select (select count(*) from s) as slices, (select count(*) from s where living) as with_content, (select count(*) from p) as passages,
    (select count(*) from p join thoth.substrate_embedding_models m on true
        join thoth.substrate_passage_vectors x on x.tenant_id = $1 and x.model = m.model and x.passage_id = p.passage_id) as vectors,
    (select coalesce(sum(quotes), 0)::bigint from r) as quotes,
    (select count(*) from f where not kept) as facts, (select count(*) from f where kept) as facts_said_anew,
    (select count(*) from e where not kept) as entities, (select count(*) from e where kept) as entities_said_anew,
    (select count(distinct x.row_id) from r join thoth.substrate_supports x on x.tenant_id = $1 and x.support_id = r.row_id) as resting_on_them,
    (select count(*) from s join thoth.substrate_digests x on x.tenant_id = $1 and x.slice_id = s.slice_id) as digests
