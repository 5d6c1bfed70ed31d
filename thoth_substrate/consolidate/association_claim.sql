-- association_claim(tenant text, limit_rows bigint) -> Queued
-- Locked, and passed over while a promotion still holds it: its facts are not there yet, and its queue row will be.
select entity_id from thoth.substrate_unassociated
where tenant_id = $1
order by entity_id
limit $2
for update skip locked
