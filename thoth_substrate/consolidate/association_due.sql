-- association_due(tenant text, limit_rows bigint) -> Queued
-- Whose facts changed, in the order in which they are taken.
select entity_id from thoth.substrate_unassociated where tenant_id = $1 order by entity_id limit $2
