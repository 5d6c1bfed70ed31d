-- entities_seen(tenant text, entity_ids bigint[], kinds text[], summaries text[], seen_first timestamptz[], seen_last timestamptz[], embeddings halfvec[], embedding_model text) -> -
-- Seen again: its span grows either way; what is known of it follows the newest event, and a vague kind gives way to a sure one.
update thoth.substrate_entities e
set first_seen = least(e.first_seen, w.seen_first), last_seen = greatest(e.last_seen, w.seen_last),
    kind = case when w.kind <> '' then w.kind else e.kind end,
    summary = case when w.summary <> '' and (w.seen_last >= e.last_seen or e.summary = '') then w.summary else e.summary end,
    embedding = case when w.embedding is not null and (w.seen_last >= e.last_seen or e.embedding is null)
        then w.embedding else e.embedding end,
    embedding_model = case when w.embedding is not null and (w.seen_last >= e.last_seen or e.embedding is null)
        then $8::text else e.embedding_model end
from unnest($2::bigint[], $3::text[], $4::text[], $5::timestamptz[], $6::timestamptz[], $7::halfvec[])
    w(entity_id, kind, summary, seen_first, seen_last, embedding)
where e.tenant_id = $1 and e.entity_id = w.entity_id
