-- community_of(tenant text, community_ids bigint[]) -> EntityId
-- Who belongs to these communities: their patterns are to be looked for again.
select entity_id from thoth.substrate_communities where tenant_id = $1 and community_id = any ($2::bigint[]) order by entity_id
