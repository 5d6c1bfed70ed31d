-- entities_made(tenant text, entity_ids bigint[], kinds text[], names text[], norms text[], summaries text[], seen_first timestamptz[], seen_last timestamptz[], confidences real[], embeddings halfvec[], embedding_model text, agent text, model text, decision_id uuid) -> -
-- New entities, dated by the events that named them.
insert into thoth.substrate_entities (tenant_id, entity_id, kind, name, norm, summary, first_seen, last_seen, confidence,
    embedding, embedding_model, agent, model, decision_id)
select $1, w.entity_id, w.kind, w.name, w.norm, w.summary, w.seen_first, w.seen_last, w.confidence, w.embedding,
    case when w.embedding is not null then $11::text end, $12, $13, $14
from unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[], $8::timestamptz[], $9::real[], $10::halfvec[])
    w(entity_id, kind, name, norm, summary, seen_first, seen_last, confidence, embedding)
