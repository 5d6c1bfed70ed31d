-- drop_rows(tenant text, row_ids bigint[]) -> Dropped
-- Rows of any layer, wholly: with all that names them, and all that is named by them. They are locked already.
with e as (
    delete from thoth.substrate_entities where tenant_id = $1 and entity_id = any ($2::bigint[]) returning 1
), a as (
    delete from thoth.substrate_entity_aliases where tenant_id = $1 and entity_id = any ($2::bigint[]) returning 1
), m as (
    delete from thoth.substrate_entity_merges
    where tenant_id = $1 and (kept_id = any ($2::bigint[]) or merged_id = any ($2::bigint[]) or moved_ids && $2::bigint[]) returning 1
), r as (
    delete from thoth.substrate_relationships where tenant_id = $1 and relationship_id = any ($2::bigint[]) returning 1
), p as (
    delete from thoth.substrate_patterns where tenant_id = $1 and pattern_id = any ($2::bigint[]) returning 1
), o as (
    delete from thoth.substrate_observations where tenant_id = $1 and observation_id = any ($2::bigint[]) returning 1
), c as (
    delete from thoth.substrate_citations where tenant_id = $1 and row_id = any ($2::bigint[]) returning 1
), s as (
    delete from thoth.substrate_supports where tenant_id = $1 and (row_id = any ($2::bigint[]) or support_id = any ($2::bigint[])) returning 1
), u as (
    delete from thoth.substrate_outcomes where tenant_id = $1 and (row_id = any ($2::bigint[]) or by_id = any ($2::bigint[])) returning 1
), l as (
    delete from thoth.substrate_associations where tenant_id = $1 and (left_id = any ($2::bigint[]) or right_id = any ($2::bigint[])) returning 1
), g as (
    delete from thoth.substrate_communities where tenant_id = $1 and (entity_id = any ($2::bigint[]) or community_id = any ($2::bigint[])) returning 1
), q as (
    delete from thoth.substrate_unassociated where tenant_id = $1 and entity_id = any ($2::bigint[])
)
select (select count(*) from e) as entities, (select count(*) from a) as entity_aliases, (select count(*) from m) as entity_merges,
    (select count(*) from r) as relationships, (select count(*) from p) as patterns, (select count(*) from o) as observations,
    (select count(*) from c) as citations, (select count(*) from s) as supports, (select count(*) from u) as outcomes,
    (select count(*) from l) as associations, (select count(*) from g) as communities
