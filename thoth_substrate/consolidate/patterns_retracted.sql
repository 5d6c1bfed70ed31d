-- patterns_retracted(tenant text, pattern_ids bigint[], reason text) -> -
-- No longer held; the row and what it rested on stay, so that one can ask why.
update thoth.substrate_patterns set retracted_at = thoth.substrate_now(), retract_reason = $3
where tenant_id = $1 and pattern_id = any($2::bigint[]) and retracted_at is null
