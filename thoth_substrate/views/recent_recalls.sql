-- recent_recalls(tenant text, limit_rows bigint) -> RecallLine
-- Newest first, by the index that is there for it.
select l.recall_id, l.asked_at, l.session_id as session, l.query_excerpt as query,
       jsonb_array_length(l.shown) as lines, l.tokens, l.took_ms, l.deadline_ms, l.empty_reason
from thoth.substrate_recall_log l
where l.tenant_id = $1
order by l.asked_at desc
limit $2
