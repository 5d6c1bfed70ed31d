-- page_associations(tenant text, left_id bigint, right_id bigint, limit_rows bigint) -> AssociationLine
-- Who is linked with whom, in the order of the primary key.
select a.left_id, l.name as left_name, a.right_id, r.name as right_name, a.weight::float8 as weight, a.together, a.linked, a.shared, a.computed_at
from thoth.substrate_associations a
join thoth.substrate_entities l on l.tenant_id = $1 and l.entity_id = a.left_id
join thoth.substrate_entities r on r.tenant_id = $1 and r.entity_id = a.right_id
where a.tenant_id = $1 and (a.left_id, a.right_id) > ($2, $3)
order by a.left_id, a.right_id
limit $4
