-- one_recall(tenant text, recall_id uuid) -> RecallRow
-- The whole log row of one recall.
select l.recall_id, l.asked_at, l.session_id as session, l.query_excerpt as query, encode(l.config_hash, 'hex') as config_hash,
       l.deadline_ms, l.took_ms, l.tokens, l.empty_reason, l.legs, l.candidates, l.shown, l.detail
from thoth.substrate_recall_log l
where l.tenant_id = $1
  and l.recall_id = $2
