-- token_revoke(tenant text, token_id uuid) -> -
-- Taken back once: the first time stays on record.
update thoth.substrate_tokens set revoked_at = thoth.substrate_now()
where tenant_id = $1 and token_id = $2 and revoked_at is null
