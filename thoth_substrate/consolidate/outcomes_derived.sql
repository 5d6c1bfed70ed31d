-- outcomes_derived(tenant text) -> Outcome
-- What speaks against facts, by the facts themselves: why they were retracted, and living ones that exclude one another. A change in the world is neither.
with facts as materialized (
    select f.relationship_id, coalesce(s.merged_into, f.subject_id) as subject, f.predicate,
        coalesce((coalesce(o.merged_into, o.entity_id))::text, f.object_norm) as object, f.negated, f.functional,
        f.valid_from, coalesce(f.valid_to, 'infinity') as valid_to, f.asserted_at, f.retracted_at is null as living,
        f.retract_reason, f.superseded_by, f.agent, f.model, round(f.stated_confidence::numeric, 4)::double precision as stated
    from thoth.substrate_relationships f
    left join thoth.substrate_entities s on s.tenant_id = $1 and s.entity_id = f.subject_id
    left join thoth.substrate_entities o on o.tenant_id = $1 and o.entity_id = f.object_id
    where f.tenant_id = $1
), befell as (
    select f.relationship_id, 'corrected' as outcome, coalesce(f.superseded_by, f.relationship_id) as by_id
    from facts f where f.retract_reason like 'corrected%'
    union all
    select f.relationship_id, 'contradicted', coalesce(f.superseded_by, f.relationship_id)
    from facts f where f.retract_reason like 'contradicted%'
    union all
    select e.relationship_id, 'contradicted', l.relationship_id
    from facts e
    join facts l
        on l.subject = e.subject and l.predicate = e.predicate
        and (l.asserted_at, l.relationship_id) > (e.asserted_at, e.relationship_id)
        and l.valid_from < e.valid_to and e.valid_from < l.valid_to
        and (e.functional and l.functional and not e.negated and not l.negated and l.object <> e.object
            or l.negated <> e.negated and l.object = e.object)
    where e.living and l.living
)
select distinct b.relationship_id as row_id, b.outcome, b.by_id, f.subject, f.predicate, f.agent, f.model, f.stated, f.living
from befell b
join facts f on f.relationship_id = b.relationship_id
