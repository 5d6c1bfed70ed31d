-- save_import(source text, file_hash bytea, path text, size bigint, position bigint, imported bigint, skipped jsonb, finished boolean) -> -
-- Moves the place from which an interrupted import goes on. Called only after everything before it is durable.
insert into thoth.substrate_imports as i (tenant_id, source, file_hash, path, size, position, imported, skipped, finished_at)
values (thoth.substrate_tenant(), $1, $2, $3, $4, $5, $6, $7, case when $8 then thoth.substrate_now() end)
on conflict (tenant_id, source, file_hash) do update
set path = excluded.path, position = excluded.position, imported = excluded.imported, skipped = excluded.skipped,
    finished_at = excluded.finished_at, updated_at = thoth.substrate_now()
