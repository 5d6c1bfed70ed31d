-- Ids and times, no content: the Curator finds by them whose changes to finish, and finishes them as their tenant.
create policy every_tenant on thoth.substrate_memory_versions to thoth_worker using (true) with check (true);
grant select (tenant_id, slice_id, changed_at, retired_at) on thoth.substrate_memory_versions to thoth_worker;
