-- ── Memories as people and programs keep them: which replaced which, and requests that may come twice ────────────────
create table thoth.substrate_memory_versions (
    tenant_id  text not null,
    slice_id   uuid not null,
    replaces   uuid not null,
    first_id   uuid not null,
    version    integer not null,
    changed_at timestamptz not null default thoth.substrate_now(),
    changed_by text not null default '',
    retired_at timestamptz,
    primary key (tenant_id, slice_id),
    check (version >= 2),
    check (slice_id <> replaces)
);
create unique index substrate_memory_versions_replaces on thoth.substrate_memory_versions (tenant_id, replaces);
create index substrate_memory_versions_first on thoth.substrate_memory_versions (tenant_id, first_id, version);
create index substrate_memory_versions_unretired on thoth.substrate_memory_versions (tenant_id) where retired_at is null;
comment on table thoth.substrate_memory_versions is 'A memory that was changed: the slice that replaced another. The first version of a memory has no row.';
comment on column thoth.substrate_memory_versions.tenant_id is 'Owner of the row.';
comment on column thoth.substrate_memory_versions.slice_id is 'The newer version.';
comment on column thoth.substrate_memory_versions.replaces is 'The version before it, which is recalled no more.';
comment on column thoth.substrate_memory_versions.first_id is 'The first version: what a history is found by.';
comment on column thoth.substrate_memory_versions.version is 'Which version it is, count from 1.';
comment on column thoth.substrate_memory_versions.changed_at is 'When it was changed.';
comment on column thoth.substrate_memory_versions.changed_by is 'Who changed it: the token''s name, or the command.';
comment on column thoth.substrate_memory_versions.retired_at is 'When the version before was retired; null while that is still to be done.';

create table thoth.substrate_idempotency_keys (
    tenant_id text not null,
    key       text not null,
    request   bytea not null,
    slice_id  uuid,
    asked_at  timestamptz not null default thoth.substrate_now(),
    primary key (tenant_id, key),
    check (octet_length(request) = 8)
);
create index substrate_idempotency_keys_asked on thoth.substrate_idempotency_keys (tenant_id, asked_at);
create index substrate_idempotency_keys_slice on thoth.substrate_idempotency_keys (tenant_id, slice_id);
comment on table thoth.substrate_idempotency_keys is 'Requests that made a memory under a key of the client''s, for a day: a repeat gets the same answer.';
comment on column thoth.substrate_idempotency_keys.tenant_id is 'Owner of the row.';
comment on column thoth.substrate_idempotency_keys.key is 'SHA-256 of the client''s Idempotency-Key, in hexadecimal: nothing that a client puts into it is stored.';
comment on column thoth.substrate_idempotency_keys.request is 'First 8 bytes of the request''s SHA-256: tells whether a repeat asks for the same.';
comment on column thoth.substrate_idempotency_keys.slice_id is 'The slice that it made.';
comment on column thoth.substrate_idempotency_keys.asked_at is 'When it was first asked.';

do $$
declare
    target text;
begin
    foreach target in array array['substrate_memory_versions', 'substrate_idempotency_keys'] loop
        execute format('alter table thoth.%I enable row level security', target);
        execute format('alter table thoth.%I force row level security', target);
        execute format('create policy tenant on thoth.%I to thoth_app using (tenant_id = thoth.substrate_tenant()) with check (tenant_id = thoth.substrate_tenant())', target);
    end loop;
end $$;
grant select, insert, update, delete on thoth.substrate_memory_versions, thoth.substrate_idempotency_keys to thoth_app;
