-- outcomes_stored(tenant text) -> Outcome
-- What is noted of facts that are still there.
select o.row_id, o.outcome, o.by_id, coalesce(s.merged_into, f.subject_id) as subject, f.predicate, f.agent, f.model,
    round(f.stated_confidence::numeric, 4)::double precision as stated, f.retracted_at is null as living
from thoth.substrate_outcomes o
join thoth.substrate_relationships f on f.tenant_id = $1 and f.relationship_id = o.row_id
left join thoth.substrate_entities s on s.tenant_id = $1 and s.entity_id = f.subject_id
where o.tenant_id = $1
