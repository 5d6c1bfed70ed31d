-- facts_about(tenant text, about bigint[], past boolean, limit_rows bigint) -> Relationship
-- Everything that is held of entities, in the order of the world's time; with `past` what is no longer held, too, and why.
select r.relationship_id, coalesce(s.merged_into, r.subject_id) as subject_id, sr.name as subject, r.predicate,
    coalesce(o.merged_into, r.object_id) as object_id, coalesce(orr.name, r.object_text) as object, r.negated, r.functional, r.statement,
    r.valid_from, r.valid_to, r.asserted_at, r.retracted_at, r.retract_reason, r.superseded_by, r.confidence
from (
    select f.* from thoth.substrate_relationships f where f.tenant_id = $1 and f.subject_id = any($2::bigint[])
    union
    select f.* from thoth.substrate_relationships f where f.tenant_id = $1 and f.object_id = any($2::bigint[])
) r
join thoth.substrate_entities s on s.tenant_id = $1 and s.entity_id = r.subject_id
join thoth.substrate_entities sr on sr.tenant_id = $1 and sr.entity_id = coalesce(s.merged_into, s.entity_id)
left join thoth.substrate_entities o on o.tenant_id = $1 and o.entity_id = r.object_id
left join thoth.substrate_entities orr on orr.tenant_id = $1 and orr.entity_id = coalesce(o.merged_into, o.entity_id)
where r.retracted_at is null or $3::boolean
order by r.valid_from, r.relationship_id
limit $4
