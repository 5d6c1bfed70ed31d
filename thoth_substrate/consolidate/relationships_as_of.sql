-- relationships_as_of(tenant text, at timestamptz, known_at timestamptz, about bigint[], limit_rows bigint) -> Relationship
-- What was so in the world at one instant, as the mind held it at another. Merged entities answer as the one they stand for.
select r.relationship_id, s.root as subject_id, sn.name as subject, r.predicate,
    coalesce(o.root, r.object_id) as object_id, coalesce(n.name, r.object_text) as object, r.negated, r.functional, r.statement,
    r.valid_from, r.valid_to, r.asserted_at, r.retracted_at, r.retract_reason, r.superseded_by, r.confidence
from thoth.substrate_relationships r
join lateral (
    select coalesce(e.merged_into, e.entity_id) as root from thoth.substrate_entities e
    where e.tenant_id = $1 and e.entity_id = r.subject_id limit 1
) s on true
join lateral (
    select e.name from thoth.substrate_entities e where e.tenant_id = $1 and e.entity_id = s.root limit 1
) sn on true
left join lateral (
    select coalesce(e.merged_into, e.entity_id) as root from thoth.substrate_entities e
    where e.tenant_id = $1 and e.entity_id = r.object_id limit 1
) o on true
left join lateral (
    select e.name from thoth.substrate_entities e where e.tenant_id = $1 and e.entity_id = o.root limit 1
) n on true
where r.tenant_id = $1 and r.valid_from <= $2 and (r.valid_to is null or r.valid_to > $2)
    and r.asserted_at <= $3 and (r.retracted_at is null or r.retracted_at > $3)
    and ($4::bigint[] is null or r.subject_id = any($4::bigint[]))
order by r.valid_from desc, r.relationship_id desc
limit $5
