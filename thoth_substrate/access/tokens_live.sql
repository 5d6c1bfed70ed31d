-- tokens_live() -> Live
-- Whether anybody has a token that is good: from then on everybody needs one.
select exists (
    select from thoth.substrate_tokens
    where revoked_at is null and (expires_at is null or expires_at > thoth.substrate_now())
) as any_live
