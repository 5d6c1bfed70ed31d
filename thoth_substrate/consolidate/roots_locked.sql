-- roots_locked(tenant text, entity_ids bigint[]) -> Root
-- Entities under lock, and whom each stands for now.
select entity_id, merged_into, retracted_at is not null as retracted
from thoth.substrate_entities
where tenant_id = $1 and entity_id = any($2::bigint[])
order by entity_id
for update
