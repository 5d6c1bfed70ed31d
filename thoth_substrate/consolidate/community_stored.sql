-- community_stored(tenant text) -> Member
-- The communities as they are held.
select entity_id, community_id from thoth.substrate_communities where tenant_id = $1
