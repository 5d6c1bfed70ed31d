-- facts_made(tenant text, row_ids bigint[], subject_ids bigint[], predicates text[], object_ids bigint[], object_texts text[], object_norms text[], negations boolean[], functionals boolean[], statements text[], valid_froms timestamptz[], valid_tos timestamptz[], stated real[], confidences real[], agents text[], models text[], decision_ids uuid[], superseded_bys bigint[], reasons text[]) -> -
-- New rows, and new forms of old ones. One that has a reason already was put right within the same batch: kept, and not held.
insert into thoth.substrate_relationships (tenant_id, relationship_id, subject_id, predicate, object_id, object_text, object_norm,
    negated, functional, statement, valid_from, valid_to, stated_confidence, confidence, agent, model, decision_id, superseded_by,
    retracted_at, retract_reason)
select $1, w.row_id, w.subject_id, w.predicate, w.object_id, w.object_text, w.object_norm, w.negated, w.functional, w.statement,
    w.valid_from, w.valid_to, w.stated, w.confidence, w.agent, w.model, w.decision_id, w.superseded_by,
    case when w.reason is not null then thoth.substrate_now() end, w.reason
from unnest($2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::text[], $7::text[], $8::boolean[], $9::boolean[], $10::text[],
    $11::timestamptz[], $12::timestamptz[], $13::real[], $14::real[], $15::text[], $16::text[], $17::uuid[], $18::bigint[], $19::text[])
    w(row_id, subject_id, predicate, object_id, object_text, object_norm, negated, functional, statement, valid_from, valid_to,
        stated, confidence, agent, model, decision_id, superseded_by, reason)
