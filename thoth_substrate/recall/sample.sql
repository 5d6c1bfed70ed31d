-- sample(tenant text, limit_rows bigint) -> Sampled
-- A fixed sample of the tenant's passages: against it recall sees how alike everything is when the vector index is used.
select passage_id from thoth.substrate_passages where tenant_id = $1
order by hashint8extended(passage_id, 7) limit $2
