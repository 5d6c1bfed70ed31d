-- ends_of(tenant text, row_ids bigint[]) -> EntityId
-- Entities that these facts name.
select distinct x.entity_id
from thoth.substrate_relationships r cross join lateral (values (r.subject_id), (r.object_id)) x(entity_id)
where r.tenant_id = $1 and r.relationship_id = any ($2::bigint[]) and x.entity_id is not null
order by 1
