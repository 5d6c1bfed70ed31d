-- citations_made(tenant text, row_ids bigint[], slice_ids uuid[], passage_nos smallint[], quote_starts int[], quotes text[], hashes bytea[], event_times timestamptz[], sessions text[], actors text[], decision_id uuid) -> -
-- What rows rest on, in the words of the source. The same place is cited once.
insert into thoth.substrate_citations (tenant_id, row_id, slice_id, passage_no, quote_start, quote, content_hash, event_time,
    session_id, actor, decision_id)
select $1, w.row_id, w.slice_id, w.passage_no, w.quote_start, w.quote, w.content_hash, w.event_time, w.session_id, w.actor, $11
from unnest($2::bigint[], $3::uuid[], $4::smallint[], $5::int[], $6::text[], $7::bytea[], $8::timestamptz[], $9::text[], $10::text[])
    w(row_id, slice_id, passage_no, quote_start, quote, content_hash, event_time, session_id, actor)
order by w.row_id, w.slice_id, w.passage_no, w.quote_start
on conflict (tenant_id, row_id, slice_id, passage_no, quote_start) do nothing
