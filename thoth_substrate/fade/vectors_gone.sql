-- vectors_gone(tenant text, passage_ids bigint[]) -> Gone
-- Vectors of every model; the tenant's sum loses what they added to it, and is exactly zero again when none is left.
with gone as (
    delete from thoth.substrate_passage_vectors v
    using thoth.substrate_embedding_models m, unnest($2::bigint[]) w(passage_id)
    where v.tenant_id = $1 and v.model = m.model and v.passage_id = w.passage_id
    returning v.model, v.kind, v.embedding
), lost as (
    select model, count(*) as vectors, count(*) filter (where kind = 'turn') as turns,
        sum(embedding::vector) filter (where kind = 'turn') as total
    from gone group by model
), lessened as (
    update thoth.substrate_vector_stats s
    set vectors = greatest(s.vectors - l.vectors, 0), turns = greatest(s.turns - l.turns, 0),
        sum = case when s.turns <= l.turns then array_fill(0::real, array[cardinality(s.sum)])
                   when l.total is null then s.sum
                   else (s.sum::vector - l.total)::real[] end
    from lost l
    where s.tenant_id = $1 and s.model = l.model
)
select count(*) as n from gone
