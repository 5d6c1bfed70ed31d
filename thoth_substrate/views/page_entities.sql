-- page_entities(tenant text, before bigint, limit_rows bigint) -> EntityLine
-- Entities that stand for themselves, the newest number first, down the primary key.
select e.entity_id, e.kind, e.name, e.summary, e.first_seen, e.last_seen, e.confidence::float8 as confidence, e.agent, e.asserted_at,
       coalesce((select array_agg(a.alias order by a.alias) from thoth.substrate_entity_aliases a
                 where a.tenant_id = $1 and a.entity_id = e.entity_id), '{}') as aliases
from thoth.substrate_entities e
where e.tenant_id = $1 and e.entity_id < $2 and e.merged_into is null and e.retracted_at is null
order by e.entity_id desc
limit $3
