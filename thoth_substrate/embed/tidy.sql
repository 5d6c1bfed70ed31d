-- tidy(tenant text, limit_rows int) -> Tidied
-- Delete old models' vectors, a batch at a time, and their statistics with the last of them.
with old as materialized (
    select tenant_id, model, vectors from thoth.substrate_vector_stats
    where tenant_id = $1 and model <> (select model from thoth.substrate_embedding_models where active)
    order by model limit 1
    for update
), few as materialized (
    select v.passage_id, v.kind, v.model from thoth.substrate_passage_vectors v, old
    where v.tenant_id = $1 and v.model = old.model order by v.passage_id limit $2::int
), gone as (
    delete from thoth.substrate_passage_vectors v using few
    where v.tenant_id = $1 and v.model = few.model and v.passage_id = few.passage_id and v.kind = few.kind
    returning v.kind
), counted as (
    select count(*) as vectors, count(*) filter (where kind = 'turn') as turns from gone
), kept as (
    update thoth.substrate_vector_stats s
    set vectors = greatest(s.vectors - counted.vectors, 0), turns = greatest(s.turns - counted.turns, 0)
    from counted, old
    where s.tenant_id = $1 and s.model = old.model and counted.vectors = $2
), ended as (
    delete from thoth.substrate_vector_stats s using counted, old
    where s.tenant_id = $1 and s.model = old.model and counted.vectors < $2
)
select greatest(vectors, (select count(*) from old)) as vectors from counted
