-- supports_dropped(tenant text, row_ids bigint[]) -> -
-- Rows that are about to be given other supports.
delete from thoth.substrate_supports where tenant_id = $1 and row_id = any($2::bigint[])
