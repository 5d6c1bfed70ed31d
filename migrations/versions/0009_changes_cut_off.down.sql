-- Back to what only tenants see.
revoke select (tenant_id, slice_id, changed_at, retired_at) on thoth.substrate_memory_versions from thoth_worker;
drop policy every_tenant on thoth.substrate_memory_versions;
