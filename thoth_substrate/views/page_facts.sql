-- page_facts(tenant text, before bigint, limit_rows bigint, ended boolean) -> FactLine
-- Facts that the mind holds, the newest number first, down the primary key; with those that are no longer so in the world on request.
select r.relationship_id as row_id, r.statement, s.name as subject, r.predicate, r.object_text as object, r.negated, r.valid_from, r.valid_to,
       r.confidence::float8 as confidence, r.agent, r.asserted_at
from thoth.substrate_relationships r
left join thoth.substrate_entities e on e.tenant_id = $1 and e.entity_id = r.subject_id
left join thoth.substrate_entities s on s.tenant_id = $1 and s.entity_id = coalesce(e.merged_into, e.entity_id)
where r.tenant_id = $1 and r.relationship_id < $2 and r.retracted_at is null
  and ($4 or r.valid_to is null or r.valid_to > thoth.substrate_now())
order by r.relationship_id desc
limit $3
