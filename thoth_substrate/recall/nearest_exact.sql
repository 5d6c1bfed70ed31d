-- nearest_exact(tenant text, model text, question halfvec, limit_rows bigint) -> Near
-- A small tenant's vectors are compared one by one, which also tells how alike everything is (mean and deviation).
with d as materialized (
    select passage_id, max(-(embedding <#> $3::halfvec)) as similarity
    from thoth.substrate_passage_vectors where tenant_id = $1 and model = $2
    group by passage_id
), background as materialized (
    select avg(similarity) as mean, stddev_pop(similarity) as deviation from d
)
select d.passage_id, d.similarity, b.mean, b.deviation from d cross join background b order by d.similarity desc limit $4
