-- patterns_made(tenant text, pattern_ids bigint[], kinds text[], statements text[], norms text[], community_ids bigint[], firsts timestamptz[], lasts timestamptz[], stated real[], confidences real[], agent text, model text, decision_id uuid) -> -
-- New patterns. Dated by what they rest on, never by the clock.
insert into thoth.substrate_patterns (tenant_id, pattern_id, kind, statement, norm, community_id, valid_from, valid_to,
    stated_confidence, confidence, agent, model, decision_id)
select $1, w.pattern_id, w.kind, w.statement, w.norm, w.community_id, w.first, w.last, w.stated, w.confidence, $11, $12, $13
from unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::timestamptz[], $8::timestamptz[], $9::real[],
    $10::real[]) w(pattern_id, kind, statement, norm, community_id, first, last, stated, confidence)
on conflict do nothing
