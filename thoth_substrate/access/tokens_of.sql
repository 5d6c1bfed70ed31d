-- tokens_of(tenant text) -> Token
-- A tenant's tokens, the newest first: an operator has dozens, not thousands.
select token_id, name, scopes, created_at, expires_at, revoked_at, last_used_at
from thoth.substrate_tokens
where tenant_id = $1
order by created_at desc, token_id
