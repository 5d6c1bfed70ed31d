-- recalls_cleared(tenant text, recall_ids uuid[], asked_times timestamptz[]) -> -
-- A recall that quoted or named what is purged: when it was asked, how long it took and why it was empty stay.
update thoth.substrate_recall_log l
set session_id = null, query_excerpt = '', query_hash = '', candidates = '{"purged": true}', shown = '[]', detail = '{"purged": true}'
from unnest($2::uuid[], $3::timestamptz[]) w(recall_id, asked_at)
where l.tenant_id = $1 and l.recall_id = w.recall_id and l.asked_at = w.asked_at
