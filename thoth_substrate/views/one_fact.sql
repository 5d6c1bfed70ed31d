-- one_fact(tenant text, row_id bigint) -> FactRow
-- A number names one row of any layer that has a sentence.
select r.relationship_id as row_id, 'fact' as kind, r.statement, s.name as subject, r.predicate,
       r.object_text as object, r.negated, r.functional, r.valid_from, r.valid_to, r.asserted_at, r.retracted_at, r.retract_reason,
       r.superseded_by, r.stated_confidence, r.confidence, r.agent, r.model, r.decision_id
from thoth.substrate_relationships r
left join thoth.substrate_entities e on e.tenant_id = r.tenant_id and e.entity_id = r.subject_id
left join thoth.substrate_entities s on s.tenant_id = r.tenant_id and s.entity_id = coalesce(e.merged_into, e.entity_id)
where r.tenant_id = $1 and r.relationship_id = $2
union all
select p.pattern_id, p.kind, p.statement, null, null, null, false, false, p.valid_from, p.valid_to, p.asserted_at, p.retracted_at,
       p.retract_reason, null, p.stated_confidence, p.confidence, p.agent, p.model, p.decision_id
from thoth.substrate_patterns p
where p.tenant_id = $1 and p.pattern_id = $2
union all
select o.observation_id, o.kind, o.statement, null, null, null, false, false, o.observed_at, null, o.observed_at, o.retracted_at,
       o.retract_reason, null, coalesce(o.score, 1), coalesce(o.score, 1), o.agent, o.model, o.decision_id
from thoth.substrate_observations o
where o.tenant_id = $1 and o.observation_id = $2
