-- beings(tenant text, row_ids bigint[]) -> Being
-- Entities with what is left to know them by: quotes of their own and of facts about them, as many as matter, and what those facts say.
with about as materialized (
    select w.entity_id, f.relationship_id, f.statement, f.living
    from unnest($2::bigint[]) w(entity_id) cross join lateral (
        (select relationship_id, statement, retracted_at is null as living from thoth.substrate_relationships
         where tenant_id = $1 and subject_id = w.entity_id order by relationship_id desc limit 200)
        union
        (select relationship_id, statement, retracted_at is null from thoth.substrate_relationships
         where tenant_id = $1 and object_id = w.entity_id order by relationship_id desc limit 200)
    ) f
), quoted as materialized (
    select x.entity_id, c.quote, c.actor, c.event_time
    from (
        select entity_id, entity_id as row_id from unnest($2::bigint[]) w(entity_id)
        union
        select entity_id, relationship_id from about
    ) x
    join thoth.substrate_citations c on c.tenant_id = $1 and c.row_id = x.row_id
)
select e.entity_id, e.name, e.summary,
    (select coalesce(array_agg(alias order by added_at, norm), '{}') from thoth.substrate_entity_aliases a
        where a.tenant_id = $1 and a.entity_id = e.entity_id) as aliases,
    (select coalesce(array_agg(norm order by added_at, norm), '{}') from thoth.substrate_entity_aliases a
        where a.tenant_id = $1 and a.entity_id = e.entity_id) as norms,
    (select coalesce(array_agg(quote), '{}') from quoted q where q.entity_id = e.entity_id) as quotes,
    (select coalesce(array_agg(distinct actor), '{}') from quoted q where q.entity_id = e.entity_id) as actors,
    (select min(event_time) from quoted q where q.entity_id = e.entity_id) as first_at,
    (select max(event_time) from quoted q where q.entity_id = e.entity_id) as last_at,
    (select coalesce(array_agg(statement order by relationship_id), '{}') from about f where f.entity_id = e.entity_id and living) as statements,
    exists (select from quoted q where q.entity_id = e.entity_id) or exists (select from about f where f.entity_id = e.entity_id) as founded
from thoth.substrate_entities e
where e.tenant_id = $1 and e.entity_id = any ($2::bigint[])
order by e.entity_id
