-- association_links(tenant text, entity_ids bigint[]) -> Linked
-- Living facts between these entities and others, each counted once, merged entities as those they stand for. Each step a look-up by key (offset 0): before the tables are analysed the planner takes a tenant's rows for a handful, and would read all of them for each.
with asked as (
    select unnest($2::bigint[]) as entity_id
), members as materialized (
    select a.entity_id, a.entity_id as stands_for from asked a
    union
    select m.entity_id, a.entity_id
    from asked a
    cross join lateral (
        select e.entity_id from thoth.substrate_entities e where e.tenant_id = $1 and e.merged_into = a.entity_id offset 0
    ) m
), facts as (
    select m.stands_for, f.relationship_id, f.other
    from members m
    cross join lateral (
        select r.relationship_id, r.object_id as other from thoth.substrate_relationships r
        where r.tenant_id = $1 and r.subject_id = m.entity_id and r.retracted_at is null and not r.negated
            and r.object_id is not null
        offset 0
    ) f
    union all
    select m.stands_for, f.relationship_id, f.other
    from members m
    cross join lateral (
        select r.relationship_id, r.subject_id as other from thoth.substrate_relationships r
        where r.tenant_id = $1 and r.object_id = m.entity_id and r.retracted_at is null and not r.negated
        offset 0
    ) f
)
select f.stands_for as entity_id, r.entity_id as other_id, count(distinct f.relationship_id)::integer as facts
from facts f
cross join lateral (
    select coalesce(e.merged_into, e.entity_id) as entity_id from thoth.substrate_entities e
    where e.tenant_id = $1 and e.entity_id = f.other offset 0
) o
cross join lateral (
    select e.entity_id from thoth.substrate_entities e
    where e.tenant_id = $1 and e.entity_id = o.entity_id and e.merged_into is null and e.retracted_at is null offset 0
) r
where r.entity_id <> f.stands_for
group by f.stands_for, r.entity_id
