-- merge_reasons_gone(tenant text, merge_ids bigint[]) -> -
-- The merge stands; the evidence was in words that are purged.
update thoth.substrate_entity_merges set reason = 'purged' where tenant_id = $1 and merge_id = any ($2::bigint[])
