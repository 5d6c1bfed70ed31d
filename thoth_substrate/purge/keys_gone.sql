-- keys_gone(tenant text, slice_ids uuid[]) -> -
-- A key tells, by its digest, what was asked under it; and must not answer with what is gone.
delete from thoth.substrate_idempotency_keys where tenant_id = $1 and slice_id = any ($2::uuid[])
