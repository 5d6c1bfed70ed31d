-- nearest_indexed(tenant text, model text, question halfvec, code text, near_rows bigint, limit_rows bigint, sample bigint[]) -> NearSampled
-- A large tenant's: the nearest by the binary code's index, re-ranked exactly; a fixed sample tells how alike everything is, as long as enough of it is left.
with near as materialized (
    select passage_id, embedding from thoth.substrate_passage_vectors
    where tenant_id = $1 and model = $2 order by code <~> $4::text::bit(1536) limit $5
), d as (
    select passage_id, max(-(embedding <#> $3::halfvec)) as similarity from near group by passage_id
), background as materialized (
    select avg(similarity) as mean, stddev_pop(similarity) as deviation, count(*) as sampled from (
        select max(-(embedding <#> $3::halfvec)) as similarity from thoth.substrate_passage_vectors
        where tenant_id = $1 and model = $2 and passage_id = any($7::bigint[]) group by passage_id
    ) s
)
select d.passage_id, d.similarity, b.mean, b.deviation, b.sampled from d cross join background b order by d.similarity desc limit $6
