-- text_lessened(tenant text, passages bigint, total_length bigint) -> -
-- After the terms, as the indexer does: the row that every batch of the tenant meets is locked last.
update thoth.substrate_text_stats set passages = greatest(passages - $2, 0), total_length = greatest(total_length - $3, 0)
where tenant_id = $1
