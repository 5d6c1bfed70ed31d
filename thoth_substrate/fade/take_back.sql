-- take_back(tenant text, slice_ids uuid[]) -> TakenBack
-- Passages with their postings. Passages are locked in their order, as the embedder does, so that none can deadlock.
with held as materialized (
    select p.passage_id
    from unnest($2::uuid[]) w(slice_id)
    join thoth.substrate_passages p on p.tenant_id = $1 and p.slice_id = w.slice_id
    order by p.passage_id
    for update of p
), gone as (
    delete from thoth.substrate_passages p
    using held h
    where p.tenant_id = $1 and p.passage_id = h.passage_id
    returning p.passage_id, p.length, p.terms
), postings as (
    delete from thoth.substrate_postings p
    using (select g.passage_id, t.term from gone g cross join lateral unnest(g.terms) t(term)) g
    where p.tenant_id = $1 and p.term = g.term and p.passage_id = g.passage_id
    returning 1
)
select coalesce(array_agg(passage_id order by passage_id), '{}') as passage_ids, coalesce(sum(length), 0)::bigint as total_length,
    (select count(*) from postings) as postings,
    (select coalesce(array_agg(u.term), '{}') from gone g cross join lateral unnest(g.terms) u(term)) as terms
from gone
