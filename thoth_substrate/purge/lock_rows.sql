-- lock_rows(tenant text, row_ids bigint[]) -> Locked
-- Table by table in the order of the numbers, before anything of them is changed.
with e as materialized (
    select entity_id from thoth.substrate_entities where tenant_id = $1 and entity_id = any ($2::bigint[]) order by entity_id for update
), r as materialized (
    select relationship_id from thoth.substrate_relationships where tenant_id = $1 and relationship_id = any ($2::bigint[])
    order by relationship_id for update
), p as materialized (
    select pattern_id from thoth.substrate_patterns where tenant_id = $1 and pattern_id = any ($2::bigint[]) order by pattern_id for update
), o as materialized (
    select observation_id from thoth.substrate_observations where tenant_id = $1 and observation_id = any ($2::bigint[])
    order by observation_id for update
)
select (select coalesce(array_agg(entity_id), '{}') from e) as entities,
    (select coalesce(array_agg(relationship_id), '{}') from r) as facts,
    (select coalesce(array_agg(pattern_id), '{}') from p) as patterns,
    (select coalesce(array_agg(observation_id), '{}') from o) as observations
