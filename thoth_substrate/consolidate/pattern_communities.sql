-- pattern_communities(tenant text, community_ids bigint[], ats timestamptz[], tops bigint[]) -> CommunityState
-- How many living facts each community holds, and how many of them are newer than those already read.
with facts as (
    select m.community_id, f.relationship_id, f.asserted_at
    from thoth.substrate_communities m
    join thoth.substrate_entities e on e.tenant_id = $1 and (e.entity_id = m.entity_id or e.merged_into = m.entity_id)
    join thoth.substrate_relationships f on f.tenant_id = $1 and f.subject_id = e.entity_id
    where m.tenant_id = $1 and f.retracted_at is null
)
select f.community_id, count(*) as facts,
    count(*) filter (where r.community_id is null or (f.asserted_at, f.relationship_id) > (r.at, r.top)) as unread
from facts f
left join unnest($2::bigint[], $3::timestamptz[], $4::bigint[]) r(community_id, at, top) on r.community_id = f.community_id
group by f.community_id
