-- sampled_recalls(tenant text, seed text, limit_rows bigint) -> RecallLine
-- To judge answers by eye one looks at some at random, not at the last ones; a seed makes the draw repeatable.
select r.recall_id, r.asked_at, r.session_id as session, r.query_excerpt as query,
       jsonb_array_length(r.shown) as lines, r.tokens, r.took_ms, r.deadline_ms, r.empty_reason
from (
    select l.*
    from thoth.substrate_recall_log l
    where l.tenant_id = $1
    order by l.asked_at desc
    limit 1000
) r
order by md5(r.recall_id::text || $2)
limit $3
