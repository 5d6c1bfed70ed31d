-- community_remove(tenant text, entity_ids bigint[]) -> -
-- Entities that hang together with nobody any longer.
delete from thoth.substrate_communities where tenant_id = $1 and entity_id = any($2::bigint[])
