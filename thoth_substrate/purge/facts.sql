-- facts(tenant text, row_ids bigint[]) -> Fact
-- Facts with the words that they rest on now. A fact is founded while what it was first said with is still cited.
select r.relationship_id as row_id, r.subject_id, s.name as subject, r.predicate, r.object_id, r.object_text, r.negated, r.statement,
    r.retracted_at is null as living, q.slice_ids, q.quotes, q.actors, q.first_at,
    exists (
        select from thoth.substrate_citations c
        where c.tenant_id = $1 and c.row_id = r.relationship_id and c.decision_id is not distinct from r.decision_id
    ) as founded
from thoth.substrate_relationships r
join thoth.substrate_entities s on s.tenant_id = $1 and s.entity_id = r.subject_id
cross join lateral (
    select coalesce(array_agg(distinct c.slice_id), '{}') as slice_ids, coalesce(array_agg(c.quote), '{}') as quotes,
        coalesce(array_agg(distinct c.actor), '{}') as actors, min(c.event_time) as first_at
    from thoth.substrate_citations c where c.tenant_id = $1 and c.row_id = r.relationship_id
) q
where r.tenant_id = $1 and r.relationship_id = any ($2::bigint[])
order by r.relationship_id
