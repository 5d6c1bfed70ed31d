-- measure_citations(tenant text, after_id bigint, limit_rows bigint) -> CitationTally
-- Whether quotes stand in their sources, for a stretch of citations; the next measurement goes on after `last_id`. What was released has outlived its source.
with stretch as materialized (
    select row_id, slice_id, quote_start, quote, content_hash
    from thoth.substrate_citations
    where tenant_id = $1 and row_id > $2
    order by row_id, slice_id, passage_no, quote_start
    limit $3
)
select count(*) filter (
        where s.slice_id is null or s.consolidation_state = 'released' or s.text is null
            or (s.content_hash = c.content_hash and substr(s.text, c.quote_start + 1, length(c.quote)) = c.quote)
    ) as good,
    count(*) as observations, max(c.row_id) as last_id
from stretch c
left join thoth.substrate_slices s
    on s.tenant_id = $1 and s.slice_id = c.slice_id and s.ingest_time = thoth.substrate_id_time(c.slice_id)
