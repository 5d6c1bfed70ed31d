-- citations_inherited(tenant text, row_ids bigint[], from_ids bigint[]) -> -
-- A fact in a new form rests on what it rested on before; the old form keeps its own.
insert into thoth.substrate_citations (tenant_id, row_id, slice_id, passage_no, quote_start, quote, content_hash, event_time,
    session_id, actor, cited_at, decision_id)
select $1, w.row_id, c.slice_id, c.passage_no, c.quote_start, c.quote, c.content_hash, c.event_time, c.session_id, c.actor,
    c.cited_at, c.decision_id
from unnest($2::bigint[], $3::bigint[]) w(row_id, from_id)
join thoth.substrate_citations c on c.tenant_id = $1 and c.row_id = w.from_id
on conflict (tenant_id, row_id, slice_id, passage_no, quote_start) do nothing
