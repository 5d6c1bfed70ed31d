-- verdicts_made(tenant text, slice_ids uuid[], passage_nos smallint[], outcomes text[], reasons text[], agent text, decision_id uuid) -> -
-- The handshake's ledger: the newest verdict on each passage.
insert into thoth.substrate_verdicts (tenant_id, slice_id, passage_no, outcome, reason, agent, decision_id)
select $1, w.slice_id, w.passage_no, w.outcome, w.reason, $6, $7
from unnest($2::uuid[], $3::smallint[], $4::text[], $5::text[]) w(slice_id, passage_no, outcome, reason)
order by w.slice_id, w.passage_no
on conflict (tenant_id, slice_id, passage_no) do update
set outcome = excluded.outcome, reason = excluded.reason, agent = excluded.agent, judged_at = thoth.substrate_now(),
    decision_id = excluded.decision_id
