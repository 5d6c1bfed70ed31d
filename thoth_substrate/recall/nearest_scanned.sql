-- nearest_scanned(tenant text, model text, question halfvec, near_rows bigint, limit_rows bigint, sample bigint[]) -> NearSampled
-- A middling tenant's vectors are compared one by one too, but only the nearest are gathered by passage, which is half of the work; a fixed sample tells how alike everything is, as long as enough of it is left.
with near as materialized (
    select passage_id, -(embedding <#> $3::halfvec) as similarity from thoth.substrate_passage_vectors
    where tenant_id = $1 and model = $2 order by -(embedding <#> $3::halfvec) desc limit $4
), d as (
    select passage_id, max(similarity) as similarity from near group by passage_id
), background as materialized (
    select avg(similarity) as mean, stddev_pop(similarity) as deviation, count(*) as sampled from (
        select max(-(embedding <#> $3::halfvec)) as similarity from thoth.substrate_passage_vectors
        where tenant_id = $1 and model = $2 and passage_id = any($6::bigint[]) group by passage_id
    ) s
)
select d.passage_id, d.similarity, b.mean, b.deviation, b.sampled from d cross join background b order by d.similarity desc limit $5
