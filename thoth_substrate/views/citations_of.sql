-- citations_of(tenant text, row_id bigint) -> CitationLine
-- What a row rests on in perception: its own quotes, and those of the facts that support it. Quotes outlive the slice's text; of one that was forgotten nothing is shown.
select c.row_id, c.slice_id, c.passage_no, c.session_id as session, c.actor, c.event_time, c.quote,
       s.slice_id is null or s.consolidation_state = 'released' as gone
from thoth.substrate_citations c
left join thoth.substrate_slices s on s.tenant_id = c.tenant_id and s.slice_id = c.slice_id
                                  and s.ingest_time = thoth.substrate_id_time(c.slice_id)
where c.tenant_id = $1
  and c.row_id = any (array(select $2 union all select p.support_id from thoth.substrate_supports p where p.tenant_id = $1 and p.row_id = $2))
  and s.forgotten is not true
order by c.event_time, c.slice_id, c.passage_no, c.quote_start
limit 100
