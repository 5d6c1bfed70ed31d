-- backfill_finish(tenant text, model text, passage_ids bigint[], vectors bigint, turns bigint, sum real[]) -> -
-- Take the passages out of the queue and keep the tenant's mean, as a sum: the row that all batches meet comes last.
with done as (
    delete from thoth.substrate_unembedded where tenant_id = $1 and passage_id = any($3::bigint[])
)
insert into thoth.substrate_vector_stats (tenant_id, model, vectors, turns, sum)
select $1, $2, $4::bigint, $5::bigint, $6::real[] where $4::bigint > 0
on conflict (tenant_id, model) do update
set vectors = substrate_vector_stats.vectors + excluded.vectors, turns = substrate_vector_stats.turns + excluded.turns,
    sum = array(
        select coalesce(a, 0) + coalesce(b, 0)
        from unnest(substrate_vector_stats.sum, excluded.sum) with ordinality u(a, b, place) order by place
    )
