-- measure_exclusive(tenant text) -> Exclusive
-- How many subjects and predicates could hold a contradiction: those with a living fact that excludes another.
select count(*) as observations
from (
    select distinct coalesce(s.merged_into, f.subject_id), f.predicate
    from thoth.substrate_relationships f
    left join thoth.substrate_entities s on s.tenant_id = $1 and s.entity_id = f.subject_id
    where f.tenant_id = $1 and f.retracted_at is null and (f.functional or f.negated)
) groups
