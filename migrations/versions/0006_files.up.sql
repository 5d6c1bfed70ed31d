-- ── The watcher's files ─────────────────────────────────────────────────────────────────────────────────────────────
create table thoth.substrate_roots (
    tenant_id  text not null,
    host       text not null,
    root       text not null,
    watched_at timestamptz not null default thoth.substrate_now(),
    quick_at   timestamptz,
    full_at    timestamptz,
    warning    text not null default '',
    primary key (tenant_id, host, root)
);
comment on table thoth.substrate_roots is 'Watched folders, and when each was last looked through.';
comment on column thoth.substrate_roots.tenant_id is 'Whose memory they feed.';
comment on column thoth.substrate_roots.host is 'The installation that watches it: two machines may have folders of one name.';
comment on column thoth.substrate_roots.root is 'The folder''s absolute path.';
comment on column thoth.substrate_roots.watched_at is 'Since when it is watched.';
comment on column thoth.substrate_roots.quick_at is 'When its paths, sizes and times were last compared.';
comment on column thoth.substrate_roots.full_at is 'When every file''s content was last compared.';
comment on column thoth.substrate_roots.warning is 'What is wrong with it, e.g. that it is gone and its files are kept; empty when nothing is.';

create table thoth.substrate_files (
    tenant_id       text not null,
    file_id         uuid not null,
    host            text not null,
    root            text not null,
    path            text not null,
    state           text not null default 'queued',
    error           text not null default '',
    attempts        smallint not null default 0,
    not_before      timestamptz not null default '-infinity',
    claim           uuid,
    size            bigint not null,
    mtime_ns        bigint not null,
    seen_sha256     bytea not null,
    seen_at         timestamptz not null default thoth.substrate_now(),
    version         integer not null default 0,
    kind            text not null default '',
    sha256          bytea,
    slice_ids       uuid[] not null default '{}',
    live_at         timestamptz,
    previous_sha256 bytea,
    primary key (tenant_id, file_id),
    check (state in ('queued', 'ingesting', 'live', 'failed', 'skipped', 'retired')),
    -- No code path can call a file live of which nothing is stored, or something else than what lies there.
    check (state <> 'live' or (sha256 is not null and sha256 = seen_sha256 and cardinality(slice_ids) > 0)),
    check (state not in ('retired', 'skipped') or cardinality(slice_ids) = 0)
);
create unique index substrate_files_path on thoth.substrate_files (tenant_id, host, root, path) where state <> 'retired';
create index substrate_files_due on thoth.substrate_files (tenant_id, host, not_before) where state in ('queued', 'failed');
create index substrate_files_retired on thoth.substrate_files (tenant_id, seen_at) where state = 'retired';
comment on table thoth.substrate_files is 'The files of watched folders: what lies there, how far it is taken in, and which slices are its live version.';
comment on column thoth.substrate_files.tenant_id is 'Whose memory it feeds.';
comment on column thoth.substrate_files.file_id is 'The file, whatever its path (UUIDv7). Its slices'' external ids are kept under it.';
comment on column thoth.substrate_files.host is 'The installation that watches it.';
comment on column thoth.substrate_files.root is 'The watched folder.';
comment on column thoth.substrate_files.path is 'Its path in that folder, with slashes.';
comment on column thoth.substrate_files.state is 'queued: to be taken in; ingesting: somebody does; live: what lies there is what answers; failed: tried, and tried again; skipped: nothing to take in, and why; retired: gone.';
comment on column thoth.substrate_files.error is 'Why it waits, failed or was skipped; empty otherwise.';
comment on column thoth.substrate_files.attempts is 'How often this version was tried in vain.';
comment on column thoth.substrate_files.not_before is 'The next attempt is not before this.';
comment on column thoth.substrate_files.claim is 'Whose attempt it is (fencing): what ends under another claim is refused.';
comment on column thoth.substrate_files.size is 'Size as last seen, in bytes.';
comment on column thoth.substrate_files.mtime_ns is 'Time of its last change as the file system tells it, in ns since 1970.';
comment on column thoth.substrate_files.seen_sha256 is 'SHA-256 of what was last seen to lie there.';
comment on column thoth.substrate_files.seen_at is 'When a change of it was last seen.';
comment on column thoth.substrate_files.version is 'Number of the version that is or was last taken in: the same content again later is another version.';
comment on column thoth.substrate_files.kind is 'As what it was read: text, markdown, pdf, …';
comment on column thoth.substrate_files.sha256 is 'SHA-256 of the live version; null when there is none.';
comment on column thoth.substrate_files.slice_ids is 'Slices of the live version, in the order of the file.';
comment on column thoth.substrate_files.live_at is 'When that version became live.';
comment on column thoth.substrate_files.previous_sha256 is 'SHA-256 of the version before it.';

do $$
declare
    target text;
begin
    foreach target in array array['substrate_roots', 'substrate_files'] loop
        execute format('alter table thoth.%I enable row level security', target);
        execute format('alter table thoth.%I force row level security', target);
        execute format('create policy tenant on thoth.%I to thoth_app using (tenant_id = thoth.substrate_tenant()) with check (tenant_id = thoth.substrate_tenant())', target);
        execute format('grant select, insert, update, delete on thoth.%I to thoth_app', target);
    end loop;
end $$;

-- ── Withdrawn citations ─────────────────────────────────────────────────────────────────────────────────────────────
alter table thoth.substrate_citations add column withdrawn_at timestamptz;
comment on column thoth.substrate_citations.withdrawn_at is 'When its source was retired: the row rests on it no more; null while it does.';
