-- association_links(tenant text, entity_ids bigint[]) -> Linked
-- Living facts between these entities and others, each counted once, merged entities as those they stand for.
with members as materialized (
    select entity_id, coalesce(merged_into, entity_id) as stands_for
    from thoth.substrate_entities
    where tenant_id = $1 and (entity_id = any($2::bigint[]) or merged_into = any($2::bigint[]))
), facts as (
    select m.stands_for, f.relationship_id, f.object_id as other
    from members m
    join thoth.substrate_relationships f on f.tenant_id = $1 and f.subject_id = m.entity_id
    where f.retracted_at is null and not f.negated and f.object_id is not null
    union all
    select m.stands_for, f.relationship_id, f.subject_id
    from members m
    join thoth.substrate_relationships f on f.tenant_id = $1 and f.object_id = m.entity_id
    where f.retracted_at is null and not f.negated
)
select f.stands_for as entity_id, r.entity_id as other_id, count(distinct f.relationship_id)::integer as facts
from facts f
join thoth.substrate_entities o on o.tenant_id = $1 and o.entity_id = f.other
join thoth.substrate_entities r
    on r.tenant_id = $1 and r.entity_id = coalesce(o.merged_into, o.entity_id)
    and r.merged_into is null and r.retracted_at is null
where r.entity_id <> f.stands_for
group by f.stands_for, r.entity_id
