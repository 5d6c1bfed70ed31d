-- pattern_facts(tenant text, community_id bigint, at timestamptz, top bigint, new_rows bigint, all_rows bigint) -> FactLine
-- Facts of a community to look for patterns in: the oldest unread ones, and of those read before the ones most like them.
with facts as materialized (
    select f.relationship_id as fact_id, f.statement, f.predicate, f.object_norm, f.valid_from, f.valid_to, f.asserted_at,
        (f.asserted_at, f.relationship_id) > ($3::timestamptz, $4::bigint) as unread
    from thoth.substrate_communities m
    join thoth.substrate_entities e on e.tenant_id = $1 and (e.entity_id = m.entity_id or e.merged_into = m.entity_id)
    join thoth.substrate_relationships f on f.tenant_id = $1 and f.subject_id = e.entity_id
    where m.tenant_id = $1 and m.community_id = $2 and f.retracted_at is null
), fresh as materialized (
    select * from facts where unread order by asserted_at, fact_id limit $5
), seen as (
    select * from facts f
    where not unread
    order by exists (select from fresh n where n.object_norm = f.object_norm) desc,
        exists (select from fresh n where n.predicate = f.predicate) desc, fact_id desc
    limit greatest($6 - (select count(*) from fresh), 0)
)
select fact_id, statement, valid_from, valid_to, asserted_at, unread
from (select * from fresh union all select * from seen) chosen
order by fact_id
