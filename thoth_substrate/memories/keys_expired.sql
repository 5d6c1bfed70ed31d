-- keys_expired(tenant text, before timestamptz, limit_rows bigint) -> -
-- Nothing grows for ever: who uses a key clears some of those that are old.
delete from thoth.substrate_idempotency_keys
where tenant_id = $1 and key in (
    select k.key from thoth.substrate_idempotency_keys k
    where k.tenant_id = $1 and k.asked_at < $2
    order by k.asked_at limit $3
    for update skip locked
)
