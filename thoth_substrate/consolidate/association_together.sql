-- association_together(tenant text, entity_ids bigint[]) -> Together
-- Slices that cite both: one cites an entity when it is quoted for it, or for a living fact about it.
with members as materialized (
    select entity_id, coalesce(merged_into, entity_id) as stands_for
    from thoth.substrate_entities
    where tenant_id = $1 and (entity_id = any($2::bigint[]) or merged_into = any($2::bigint[]))
), rows_about as (
    select m.stands_for, m.entity_id as row_id from members m
    union
    select m.stands_for, f.relationship_id
    from members m
    join thoth.substrate_relationships f on f.tenant_id = $1 and f.subject_id = m.entity_id and f.retracted_at is null
    union
    select m.stands_for, f.relationship_id
    from members m
    join thoth.substrate_relationships f on f.tenant_id = $1 and f.object_id = m.entity_id and f.retracted_at is null
), cited as materialized (
    select distinct a.stands_for, c.slice_id
    from rows_about a
    join thoth.substrate_citations c on c.tenant_id = $1 and c.row_id = a.row_id
), quoted as materialized (
    select distinct c.slice_id, c.row_id
    from (select distinct slice_id from cited) s
    join thoth.substrate_citations c on c.tenant_id = $1 and c.slice_id = s.slice_id
), named as (
    select q.slice_id, q.row_id as entity_id from quoted q
    union
    select q.slice_id, ends.entity_id
    from quoted q
    join thoth.substrate_relationships f on f.tenant_id = $1 and f.relationship_id = q.row_id and f.retracted_at is null
    cross join lateral (values (f.subject_id), (f.object_id)) ends(entity_id)
), others as (
    select distinct n.slice_id, r.entity_id
    from named n
    join thoth.substrate_entities o on o.tenant_id = $1 and o.entity_id = n.entity_id
    join thoth.substrate_entities r
        on r.tenant_id = $1 and r.entity_id = coalesce(o.merged_into, o.entity_id)
        and r.merged_into is null and r.retracted_at is null
)
select c.stands_for as entity_id, o.entity_id as other_id, count(*)::integer as slices
from cited c
join others o on o.slice_id = c.slice_id and o.entity_id <> c.stands_for
group by c.stands_for, o.entity_id
