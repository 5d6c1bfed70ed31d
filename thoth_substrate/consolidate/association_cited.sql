-- association_cited(tenant text, entity_ids bigint[]) -> Cited
-- The slices that cite these entities: quoted for one of them, or for a living fact about one. Look-ups by key, paired by the caller: a join of two such lists would be planned as a loop within a loop while nothing has been analysed.
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
), rows_about as materialized (
    select m.stands_for, m.entity_id as row_id from members m
    union
    select m.stands_for, f.relationship_id
    from members m
    cross join lateral (
        select r.relationship_id from thoth.substrate_relationships r
        where r.tenant_id = $1 and r.subject_id = m.entity_id and r.retracted_at is null offset 0
    ) f
    union
    select m.stands_for, f.relationship_id
    from members m
    cross join lateral (
        select r.relationship_id from thoth.substrate_relationships r
        where r.tenant_id = $1 and r.object_id = m.entity_id and r.retracted_at is null offset 0
    ) f
)
select distinct a.stands_for as entity_id, c.slice_id
from rows_about a
cross join lateral (
    select q.slice_id from thoth.substrate_citations q where q.tenant_id = $1 and q.row_id = a.row_id offset 0
) c
