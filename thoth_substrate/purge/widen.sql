-- widen(tenant text, purge_id uuid, slice_ids uuid[]) -> -
-- Summaries that were found to rest on what is purged go the same way.
update thoth.substrate_purges set slice_ids = slice_ids || $3::uuid[] where tenant_id = $1 and purge_id = $2
