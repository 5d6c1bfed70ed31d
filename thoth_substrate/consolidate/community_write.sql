-- community_write(tenant text, entity_ids bigint[], community_ids bigint[]) -> -
-- Only members that changed their community.
insert into thoth.substrate_communities (tenant_id, entity_id, community_id)
select $1, entity_id, community_id from unnest($2::bigint[], $3::bigint[]) w(entity_id, community_id) order by entity_id
on conflict (tenant_id, entity_id) do update set community_id = excluded.community_id, computed_at = thoth.substrate_now()
