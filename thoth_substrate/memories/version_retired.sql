-- version_retired(tenant text, slice_id uuid) -> -
-- Said once the older version is found no more.
update thoth.substrate_memory_versions set retired_at = thoth.substrate_now()
where tenant_id = $1 and replaces = $2 and retired_at is null
