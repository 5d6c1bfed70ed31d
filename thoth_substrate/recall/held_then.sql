-- held_then(tenant text, at timestamptz, limit_rows bigint) -> Held
-- What was asserted at an instant and given up since: it has left the statements, and only asking as of then needs it. The newest first.
select row_id, statement from (
    (select relationship_id as row_id, statement from thoth.substrate_relationships
     where tenant_id = $1 and asserted_at <= $2 and retracted_at > $2 order by relationship_id desc limit $3)
    union all
    (select pattern_id, statement from thoth.substrate_patterns
     where tenant_id = $1 and asserted_at <= $2 and retracted_at > $2 order by pattern_id desc limit $3)
) h
