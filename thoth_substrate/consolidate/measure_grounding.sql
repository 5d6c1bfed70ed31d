-- measure_grounding(tenant text, limit_rows bigint) -> Tally
-- Whether the entities that a pattern's facts are about hang together: of their pairs, those that are associated or of one community.
with patterns as materialized (
    select pattern_id from thoth.substrate_patterns
    where tenant_id = $1 and retracted_at is null
    order by pattern_id desc
    limit $2
), about as materialized (
    select distinct p.pattern_id, coalesce(e.merged_into, e.entity_id) as entity_id
    from patterns p
    join thoth.substrate_supports s on s.tenant_id = $1 and s.row_id = p.pattern_id
    join thoth.substrate_relationships f on f.tenant_id = $1 and f.relationship_id = s.support_id
    cross join lateral (values (f.subject_id), (f.object_id)) ends(entity_id)
    join thoth.substrate_entities e on e.tenant_id = $1 and e.entity_id = ends.entity_id
), pairs as (
    select l.pattern_id, exists (
            select from thoth.substrate_associations a
            where a.tenant_id = $1 and a.left_id = l.entity_id and a.right_id = r.entity_id
        ) or exists (
            select from thoth.substrate_communities m
            join thoth.substrate_communities n on n.tenant_id = $1 and n.community_id = m.community_id
            where m.tenant_id = $1 and m.entity_id = l.entity_id and n.entity_id = r.entity_id
        ) as good
    from about l
    join about r on r.pattern_id = l.pattern_id and r.entity_id > l.entity_id
), of_each as (
    select pattern_id, avg(good::integer)::double precision as good from pairs group by pattern_id
)
select coalesce(sum(coalesce(e.good, 1.0)), 0.0)::double precision as good, count(*) as observations
from (select distinct pattern_id from about) a
left join of_each e on e.pattern_id = a.pattern_id
