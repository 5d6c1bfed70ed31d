-- merges_after(tenant text, after_id bigint, limit_rows bigint) -> MergeReason
-- Why entities were merged, page by page.
select merge_id as row_id, reason from thoth.substrate_entity_merges where tenant_id = $1 and merge_id > $2 order by merge_id limit $3
