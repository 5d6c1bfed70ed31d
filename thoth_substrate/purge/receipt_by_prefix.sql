-- receipt_by_prefix(tenant text, low uuid, high uuid) -> PurgeId
-- Receipts whose ids begin so.
select purge_id from thoth.substrate_purges where tenant_id = $1 and purge_id between $2 and $3 order by purge_id desc limit 5
