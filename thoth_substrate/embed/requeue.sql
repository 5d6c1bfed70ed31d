-- requeue(tenant text, after_id bigint, limit_rows int) -> Requeued
-- Walk a tenant's passages by id and queue those without a vector of the active model. Walking again queues nothing twice.
with walked as materialized (
    select passage_id from thoth.substrate_passages
    where tenant_id = $1 and passage_id > $2 order by passage_id limit $3::int
), queued as (
    insert into thoth.substrate_unembedded (tenant_id, passage_id)
    select $1, w.passage_id from walked w
    where not exists (
        select from thoth.substrate_passage_vectors v
        where v.tenant_id = $1 and v.model = (select model from thoth.substrate_embedding_models where active)
            and v.passage_id = w.passage_id and v.kind = 'turn'
    )
    order by w.passage_id
    on conflict (tenant_id, passage_id) do nothing
    returning 1
)
select (select max(passage_id) from walked) as last_id, (select count(*) from queued) as queued
