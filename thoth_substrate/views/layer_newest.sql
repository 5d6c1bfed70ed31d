-- layer_newest(tenant text, limit_rows bigint) -> Newest
-- The newest of each layer by the sequence that numbers all of them, so that the primary keys serve it.
(select 1 as layer, 'entity' as kind, x.entity_id as row_id, x.name || case when x.summary = '' then '' else ': ' || x.summary end as says,
        x.confidence::double precision as confidence, x.agent, x.asserted_at
 from thoth.substrate_entities x
 where x.tenant_id = $1 and x.merged_into is null and x.retracted_at is null
 order by x.entity_id desc limit $2)
union all
(select 1, 'fact', x.relationship_id, x.statement, x.confidence, x.agent, x.asserted_at
 from thoth.substrate_relationships x
 where x.tenant_id = $1 and x.retracted_at is null
 order by x.relationship_id desc limit $2)
union all
(select 3, x.kind, x.pattern_id, x.statement, x.confidence, x.agent, x.asserted_at
 from thoth.substrate_patterns x
 where x.tenant_id = $1 and x.retracted_at is null
 order by x.pattern_id desc limit $2)
union all
(select 4, x.kind, x.observation_id, x.statement, x.score, x.agent, x.observed_at
 from thoth.substrate_observations x
 where x.tenant_id = $1 and x.retracted_at is null and x.kind <> 'coherence'
 order by x.observation_id desc limit $2)
