-- token_insert(tenant text, token_id uuid, name text, hash bytea, scopes text[], expires_at timestamptz) -> -
-- A new token; only its hash is kept.
insert into thoth.substrate_tokens (tenant_id, token_id, name, hash, scopes, created_at, expires_at)
values ($1, $2, $3, $4, $5, thoth.substrate_now(), $6)
