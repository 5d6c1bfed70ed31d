-- unmerged(tenant text, row_ids bigint[]) -> -
-- Entities that one of these stood for stand for themselves again.
update thoth.substrate_entities set merged_into = null where tenant_id = $1 and merged_into = any ($2::bigint[])
