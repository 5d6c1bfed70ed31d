-- relationships_as_of(tenant text, at timestamptz, known_at timestamptz, about bigint[], limit_rows bigint) -> Relationship
-- What was so in the world at one instant, as the mind held it at another. Merged entities answer as the one they stand for.
select r.relationship_id, coalesce(s.merged_into, r.subject_id) as subject_id, sr.name as subject, r.predicate,
    coalesce(o.merged_into, r.object_id) as object_id, coalesce(orr.name, r.object_text) as object, r.negated, r.functional, r.statement,
    r.valid_from, r.valid_to, r.asserted_at, r.retracted_at, r.retract_reason, r.superseded_by, r.confidence
from thoth.substrate_relationships r
join thoth.substrate_entities s on s.tenant_id = $1 and s.entity_id = r.subject_id
join thoth.substrate_entities sr on sr.tenant_id = $1 and sr.entity_id = coalesce(s.merged_into, s.entity_id)
left join thoth.substrate_entities o on o.tenant_id = $1 and o.entity_id = r.object_id
left join thoth.substrate_entities orr on orr.tenant_id = $1 and orr.entity_id = coalesce(o.merged_into, o.entity_id)
where r.tenant_id = $1 and r.valid_from <= $2 and (r.valid_to is null or r.valid_to > $2)
    and r.asserted_at <= $3 and (r.retracted_at is null or r.retracted_at > $3)
    and ($4::bigint[] is null or r.subject_id = any($4::bigint[]))
order by r.valid_from desc, r.relationship_id desc
limit $5
