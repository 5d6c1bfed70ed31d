-- facts_about(tenant text, about bigint[], past boolean, limit_rows bigint) -> Relationship
-- Everything that is held of entities, in the order of the world's time; with `past` what is no longer held, too, and why.
select r.relationship_id, s.root as subject_id, sn.name as subject, r.predicate,
    coalesce(o.root, r.object_id) as object_id, coalesce(n.name, r.object_text) as object, r.negated, r.functional, r.statement,
    r.valid_from, r.valid_to, r.asserted_at, r.retracted_at, r.retract_reason, r.superseded_by, r.confidence
from (
    select f.* from thoth.substrate_relationships f where f.tenant_id = $1 and f.subject_id = any($2::bigint[])
    union
    select f.* from thoth.substrate_relationships f where f.tenant_id = $1 and f.object_id = any($2::bigint[])
) r
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
where r.retracted_at is null or $3::boolean
order by r.valid_from, r.relationship_id
limit $4
