-- version_made(tenant text, slice_id uuid, replaces uuid, first_id uuid, version integer, changed_by text) -> -
-- The key on `replaces` lets a version have one successor, whoever comes first.
insert into thoth.substrate_memory_versions (tenant_id, slice_id, replaces, first_id, version, changed_by)
values ($1, $2, $3, $4, $5, $6)
