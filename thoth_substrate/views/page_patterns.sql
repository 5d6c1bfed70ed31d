-- page_patterns(tenant text, before bigint, limit_rows bigint) -> PatternLine
-- Patterns, insights and syntheses that the mind holds, the newest number first, down the primary key.
select p.pattern_id as row_id, p.kind, p.statement, p.valid_from, p.valid_to, p.confidence::float8 as confidence, p.agent, p.asserted_at
from thoth.substrate_patterns p
where p.tenant_id = $1 and p.pattern_id < $2 and p.retracted_at is null
order by p.pattern_id desc
limit $3
