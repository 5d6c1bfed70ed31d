-- token_used(hash bytea) -> -
-- Noted every few minutes at most, so that a busy token is not a busy row.
update thoth.substrate_tokens set last_used_at = thoth.substrate_now()
where hash = $1 and (last_used_at is null or last_used_at < thoth.substrate_now() - interval '5 minutes')
