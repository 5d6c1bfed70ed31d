-- token_of(hash bytea) -> Known
-- Whose a presented token is, before any tenant is known: one row of the unique index on the hash.
select tenant_id, token_id, name, scopes, coalesce(last_used_at < thoth.substrate_now() - interval '5 minutes', true) as stale
from thoth.substrate_tokens
where hash = $1 and revoked_at is null and (expires_at is null or expires_at > thoth.substrate_now())
