-- sentences_after(tenant text, after_id bigint, limit_rows bigint) -> Described
-- Sentences that are no longer held and therefore in no index, page by page.
select row_id, text from (
    (select relationship_id as row_id, statement || ' ' || coalesce(retract_reason, '') as text from thoth.substrate_relationships
     where tenant_id = $1 and relationship_id > $2 and retracted_at is not null order by relationship_id limit $3)
    union all
    (select pattern_id, statement || ' ' || coalesce(retract_reason, '') from thoth.substrate_patterns
     where tenant_id = $1 and pattern_id > $2 and retracted_at is not null order by pattern_id limit $3)
) s
order by row_id limit $3
