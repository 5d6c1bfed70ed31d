-- ── Tokens ──────────────────────────────────────────────────────────────────────────────────────────────────────────
create table thoth.substrate_tokens (
    tenant_id    text not null,
    token_id     uuid not null,
    name         text not null,
    hash         bytea not null,
    scopes       text[] not null,
    created_at   timestamptz not null,
    expires_at   timestamptz,
    revoked_at   timestamptz,
    last_used_at timestamptz,
    primary key (tenant_id, token_id),
    check (octet_length(hash) = 32),
    check (scopes <@ array['read', 'write', 'admin'])
);
create unique index substrate_tokens_hash on thoth.substrate_tokens (hash);
comment on table thoth.substrate_tokens is 'Who may ask over HTTP: a row a token. The token itself is shown once and never stored.';
comment on column thoth.substrate_tokens.tenant_id is 'The one tenant it is good for.';
comment on column thoth.substrate_tokens.token_id is 'What it is called by, to list and to revoke it.';
comment on column thoth.substrate_tokens.name is 'Whose it is, in the operator''s words.';
comment on column thoth.substrate_tokens.hash is 'SHA-256 of the token; it has 256 random bits, so nothing slower is needed.';
comment on column thoth.substrate_tokens.scopes is 'What it allows: read, write, admin. None of them: nothing.';
comment on column thoth.substrate_tokens.created_at is 'When it was made.';
comment on column thoth.substrate_tokens.expires_at is 'From when on it is refused; null: never.';
comment on column thoth.substrate_tokens.revoked_at is 'When it was taken back; null: it was not.';
comment on column thoth.substrate_tokens.last_used_at is 'When it was last presented, to within some minutes.';

alter table thoth.substrate_tokens enable row level security;
alter table thoth.substrate_tokens force row level security;
create policy tenant on thoth.substrate_tokens to thoth_app
    using (tenant_id = thoth.substrate_tenant()) with check (tenant_id = thoth.substrate_tenant());
-- Whose a token is, is found out before a tenant is known.
create policy every_tenant on thoth.substrate_tokens to thoth_worker using (true) with check (true);
grant select, insert, update on thoth.substrate_tokens to thoth_app;
grant select on thoth.substrate_tokens to thoth_worker;
grant update (last_used_at) on thoth.substrate_tokens to thoth_worker;
