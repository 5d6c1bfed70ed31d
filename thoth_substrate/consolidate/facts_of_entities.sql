-- facts_of_entities(tenant text, entity_ids bigint[], limit_rows bigint) -> FactId
-- The newest living facts about entities: what is found by their names has to be told of a change of names.
select relationship_id
from (
    select r.relationship_id from thoth.substrate_relationships r
    where r.tenant_id = $1 and r.subject_id = any($2::bigint[]) and r.retracted_at is null
    union
    select r.relationship_id from thoth.substrate_relationships r
    where r.tenant_id = $1 and r.object_id = any($2::bigint[]) and r.retracted_at is null
) r
order by relationship_id desc
limit $3
