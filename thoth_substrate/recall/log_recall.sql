-- log_recall(tenant text, recall_id uuid, asked_at timestamptz, session text, query_hash bytea, query_excerpt text, config_hash bytea, deadline_ms int, took_ms real, tokens int, empty_reason text, legs jsonb, candidates jsonb, shown jsonb, detail jsonb) -> -
-- One audit row a recall, also for the empty and the failed, written after the answer has gone. Written twice it is there once.
insert into thoth.substrate_recall_log (tenant_id, recall_id, asked_at, session_id, query_hash, query_excerpt, config_hash, deadline_ms,
    took_ms, tokens, empty_reason, legs, candidates, shown, detail)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
on conflict do nothing
