-- unlinked(tenant text, row_ids bigint[]) -> -
-- Earlier forms, no longer held, that gave way to what goes: they stay as they are, and name it no more.
update thoth.substrate_relationships set superseded_by = null where tenant_id = $1 and superseded_by = any ($2::bigint[])
