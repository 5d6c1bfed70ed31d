-- digests_hushed(tenant text, slice_ids uuid[]) -> -
-- A digest of another slice in words of what is purged: its importance stays.
update thoth.substrate_digests set summary = '', topics = '{}' where tenant_id = $1 and slice_id = any ($2::uuid[])
