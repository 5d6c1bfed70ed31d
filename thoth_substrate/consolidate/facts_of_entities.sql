-- facts_of_entities(tenant text, entity_ids bigint[], limit_rows bigint) -> FactId
-- The newest living facts about entities and those merged into them: found by their names, they have to be told of a change of names.
with members as (
    select entity_id from unnest($2::bigint[]) e(entity_id)
    union
    select m.entity_id from thoth.substrate_entities m where m.tenant_id = $1 and m.merged_into = any($2::bigint[])
)
select relationship_id
from (
    select r.relationship_id from members m
    join thoth.substrate_relationships r on r.tenant_id = $1 and r.subject_id = m.entity_id and r.retracted_at is null
    union
    select r.relationship_id from members m
    join thoth.substrate_relationships r on r.tenant_id = $1 and r.object_id = m.entity_id and r.retracted_at is null
) r
order by relationship_id desc
limit $3
