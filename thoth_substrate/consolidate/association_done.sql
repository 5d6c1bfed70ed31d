-- association_done(tenant text, entity_ids bigint[]) -> -
-- In the transaction that wrote their associations.
delete from thoth.substrate_unassociated where tenant_id = $1 and entity_id = any($2::bigint[])
