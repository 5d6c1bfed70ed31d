-- remains(tenant text, slice_ids uuid[], row_ids bigint[], until timestamptz) -> Remains
-- What a receipt says is gone, looked for everywhere: by the slices' ids, and by the numbers of the rows that went with them.
with s as materialized (
    select distinct slice_id from unnest($2::uuid[]) u(slice_id)
), r as materialized (
    select distinct row_id from unnest($3::bigint[]) u(row_id)
)
select
    (select count(*) from s join thoth.substrate_slices x
        on x.tenant_id = $1 and x.slice_id = s.slice_id and x.ingest_time = thoth.substrate_id_time(s.slice_id)
     where x.text <> '' or x.payload is not null or x.metadata <> '{}' or x.actor <> '' or x.content_hash <> '' or x.external_id is not null
        or not x.forgotten) as substrate_slices,
    (select count(*) from thoth.substrate_external_ids x where x.tenant_id = $1 and x.slice_id = any ($2::uuid[])) as substrate_external_ids,
    (select count(*) from thoth.substrate_idempotency_keys x where x.tenant_id = $1 and x.slice_id = any ($2::uuid[])) as substrate_idempotency_keys,
    (select count(*) from s join thoth.substrate_passages x on x.tenant_id = $1 and x.slice_id = s.slice_id) as substrate_passages,
    (select count(*) from s join thoth.substrate_salience x on x.tenant_id = $1 and x.slice_id = s.slice_id) as substrate_salience,
    (select count(*) from s join thoth.substrate_salience_events x on x.tenant_id = $1 and x.slice_id = s.slice_id) as substrate_salience_events,
    (select count(*) from s join thoth.substrate_pending x on x.tenant_id = $1 and x.slice_id = s.slice_id) as substrate_pending,
    (select count(*) from s join thoth.substrate_unindexed x on x.tenant_id = $1 and x.slice_id = s.slice_id) as substrate_unindexed,
    (select count(*) from s join thoth.substrate_unconsolidated x on x.tenant_id = $1 and x.slice_id = s.slice_id) as substrate_unconsolidated,
    (select count(*) from thoth.substrate_citations x
     where x.tenant_id = $1 and (x.slice_id = any ($2::uuid[]) or x.row_id = any ($3::bigint[]))) as substrate_citations,
    (select count(*) from s join thoth.substrate_verdicts x on x.tenant_id = $1 and x.slice_id = s.slice_id) as substrate_verdicts,
    (select count(*) from s join thoth.substrate_digests x on x.tenant_id = $1 and x.slice_id = s.slice_id) as substrate_digests,
    (select count(*) from thoth.substrate_dead_letters x where x.tenant_id = $1 and x.slice_id = any ($2::uuid[])) as substrate_dead_letters,
    (select count(*) from r join thoth.substrate_entities x on x.tenant_id = $1 and x.entity_id = r.row_id) as substrate_entities,
    (select count(*) from r join thoth.substrate_entity_aliases x on x.tenant_id = $1 and x.entity_id = r.row_id) as substrate_entity_aliases,
    (select count(*) from thoth.substrate_entity_merges x
     where x.tenant_id = $1 and (x.kept_id = any ($3::bigint[]) or x.merged_id = any ($3::bigint[]) or x.moved_ids && $3::bigint[])) as substrate_entity_merges,
    (select count(*) from r join thoth.substrate_relationships x on x.tenant_id = $1 and x.relationship_id = r.row_id) as substrate_relationships,
    (select count(*) from r join thoth.substrate_patterns x on x.tenant_id = $1 and x.pattern_id = r.row_id) as substrate_patterns,
    (select count(*) from r join thoth.substrate_observations x on x.tenant_id = $1 and x.observation_id = r.row_id) as substrate_observations,
    (select count(*) from thoth.substrate_supports x
     where x.tenant_id = $1 and (x.row_id = any ($3::bigint[]) or x.support_id = any ($3::bigint[]))) as substrate_supports,
    (select count(*) from r join thoth.substrate_statements x on x.tenant_id = $1 and x.row_id = r.row_id) as substrate_statements,
    (select count(*) from thoth.substrate_associations x
     where x.tenant_id = $1 and (x.left_id = any ($3::bigint[]) or x.right_id = any ($3::bigint[]))) as substrate_associations,
    (select count(*) from thoth.substrate_communities x
     where x.tenant_id = $1 and (x.entity_id = any ($3::bigint[]) or x.community_id = any ($3::bigint[]))) as substrate_communities,
    (select count(*) from thoth.substrate_outcomes x
     where x.tenant_id = $1 and (x.row_id = any ($3::bigint[]) or x.by_id = any ($3::bigint[]))) as substrate_outcomes,
    (select count(*) from r join thoth.substrate_concepts x on x.tenant_id = $1 and x.concept_id = r.row_id) as substrate_concepts,
    (select count(*) from r join thoth.substrate_keywords x on x.tenant_id = $1 and x.concept_id = r.row_id) as substrate_keywords,
    (select count(*) from r join thoth.substrate_sources x on x.tenant_id = $1 and x.concept_id = r.row_id) as substrate_sources,
    (select count(*) from thoth.substrate_recall_log x
     where x.tenant_id = $1 and x.asked_at <= $4 and exists (
        select from regexp_matches(x.candidates::text || x.shown::text || x.detail::text,
            '([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})', 'g') m
        where m[1]::uuid = any ($2::uuid[]))) as substrate_recall_log,
    (select count(*) from thoth.substrate_slices x
     where x.tenant_id = $1 and x.session_id = 'diary' and x.consolidation_state = 'exempt' and x.payload -> 'decision' ? 'inputs' and exists (
        select from regexp_matches(x.payload::text, '([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})', 'g') m
        where m[1]::uuid = any ($2::uuid[]))) as diary
