-- take_back(tenant text, slice_ids uuid[]) -> TakenBack
-- Passages with their postings and document frequencies. Passages and terms are locked in their order, as embedder and indexer do, so that none can deadlock.
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
), losing as materialized (
    select t.term, t.passages - g.passages as left_over
    from (select u.term, count(*)::integer as passages from gone g cross join lateral unnest(g.terms) u(term) group by u.term) g
    join thoth.substrate_terms t on t.tenant_id = $1 and t.term = g.term
    order by t.term
    for update of t
), rarer as (
    update thoth.substrate_terms t set passages = l.left_over
    from losing l
    where t.tenant_id = $1 and t.term = l.term and l.left_over > 0
), extinct as (
    delete from thoth.substrate_terms t
    using losing l
    where t.tenant_id = $1 and t.term = l.term and l.left_over <= 0
)
select coalesce(array_agg(passage_id order by passage_id), '{}') as passage_ids, coalesce(sum(length), 0)::bigint as total_length,
    (select count(*) from postings) as postings
from gone
