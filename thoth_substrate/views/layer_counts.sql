-- layer_counts(tenant text) -> Counts
-- What a tenant knows, layer by layer: rows that live, and beside them those that are kept although they hold no longer.
select e.entities, e.merged, r.facts, r.ended, r.retracted as facts_retracted,
       (select count(*) from thoth.substrate_associations a where a.tenant_id = $1) as associations,
       (select count(distinct m.community_id) from thoth.substrate_communities m where m.tenant_id = $1) as communities,
       p.patterns, p.insights, p.retracted as patterns_retracted, o.self_statements, o.dreams, o.measurements
from (
    select count(*) filter (where x.merged_into is null and x.retracted_at is null) as entities,
           count(*) filter (where x.merged_into is not null) as merged
    from thoth.substrate_entities x where x.tenant_id = $1
) e
cross join (
    select count(*) filter (where x.retracted_at is null and (x.valid_to is null or x.valid_to > (select thoth.substrate_now()))) as facts,
           count(*) filter (where x.retracted_at is null and x.valid_to <= (select thoth.substrate_now())) as ended,
           count(*) filter (where x.retracted_at is not null) as retracted
    from thoth.substrate_relationships x where x.tenant_id = $1
) r
cross join (
    select count(*) filter (where x.retracted_at is null and x.kind = 'pattern') as patterns,
           count(*) filter (where x.retracted_at is null and x.kind <> 'pattern') as insights,
           count(*) filter (where x.retracted_at is not null) as retracted
    from thoth.substrate_patterns x where x.tenant_id = $1
) p
cross join (
    select count(*) filter (where x.kind = 'self' and x.retracted_at is null) as self_statements,
           count(*) filter (where x.kind in ('dream', 'question', 'test') and x.retracted_at is null) as dreams,
           count(*) filter (where x.kind = 'coherence') as measurements
    from thoth.substrate_observations x where x.tenant_id = $1
) o
