-- citations_of(tenant text, row_id bigint, limit_rows bigint) -> Citation
-- What a row rests on, the oldest event first.
select slice_id, passage_no, quote_start, quote, event_time, session_id, actor
from thoth.substrate_citations
where tenant_id = $1 and row_id = $2
order by event_time, slice_id, quote_start
limit $3
