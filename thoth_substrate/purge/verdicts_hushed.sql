-- verdicts_hushed(tenant text, slice_ids uuid[]) -> -
-- A verdict on another slice in words of what is purged: its outcome stays.
update thoth.substrate_verdicts set reason = '' where tenant_id = $1 and slice_id = any ($2::uuid[])
