-- key_known(tenant text, key text) -> Known
-- What was made under the key before.
select request, slice_id from thoth.substrate_idempotency_keys where tenant_id = $1 and key = $2
