-- association_stored(tenant text, entity_ids bigint[]) -> Association
-- What is held of these entities. Two look-ups, since one condition over both columns would scan.
select left_id, right_id, weight, together, linked, shared
from thoth.substrate_associations where tenant_id = $1 and left_id = any($2::bigint[])
union
select left_id, right_id, weight, together, linked, shared
from thoth.substrate_associations where tenant_id = $1 and right_id = any($2::bigint[])
