-- unqueued(tenant text, passage_ids bigint[]) -> -
-- A row that the embedder holds now is left to it: it looks for the passage again before it stores a vector.
with held as (
    select passage_id from thoth.substrate_unembedded where tenant_id = $1 and passage_id = any($2::bigint[]) for update skip locked
)
delete from thoth.substrate_unembedded q using held where q.tenant_id = $1 and q.passage_id = held.passage_id
