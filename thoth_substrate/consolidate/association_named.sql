-- association_named(tenant text, slice_ids uuid[]) -> Cited
-- Whom these slices cite, for themselves or by a living fact, merged entities as those they stand for. Look-ups by key.
with quoted as materialized (
    select distinct s.slice_id, c.row_id
    from unnest($2::uuid[]) s(slice_id)
    cross join lateral (
        select q.row_id from thoth.substrate_citations q where q.tenant_id = $1 and q.slice_id = s.slice_id offset 0
    ) c
), named as materialized (
    select q.slice_id, q.row_id as entity_id from quoted q
    union
    select q.slice_id, ends.entity_id
    from quoted q
    cross join lateral (
        select r.subject_id, r.object_id from thoth.substrate_relationships r
        where r.tenant_id = $1 and r.relationship_id = q.row_id and r.retracted_at is null offset 0
    ) f
    cross join lateral (values (f.subject_id), (f.object_id)) ends(entity_id)
)
select distinct r.entity_id, n.slice_id
from named n
cross join lateral (
    select coalesce(e.merged_into, e.entity_id) as entity_id from thoth.substrate_entities e
    where e.tenant_id = $1 and e.entity_id = n.entity_id offset 0
) o
cross join lateral (
    select e.entity_id from thoth.substrate_entities e
    where e.tenant_id = $1 and e.entity_id = o.entity_id and e.merged_into is null and e.retracted_at is null offset 0
) r
