-- newest_receipt(tenant text) -> PurgeId
-- The last purge.
select purge_id from thoth.substrate_purges where tenant_id = $1 order by purge_id desc limit 1
