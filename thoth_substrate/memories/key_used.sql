-- key_used(tenant text, key text, slice_id uuid) -> -
-- In the transaction that took the key.
update thoth.substrate_idempotency_keys set slice_id = $3 where tenant_id = $1 and key = $2
