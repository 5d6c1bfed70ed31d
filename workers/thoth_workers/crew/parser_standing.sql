-- parser_standing(tenant text, slice_ids uuid[]) -> Standing
-- How each claimed slice stands: how often it was tried in vain, and which of its passages are settled already.
select q.slice_id, q.attempts::integer as attempts,
    coalesce((select array_agg(v.passage_no::integer order by v.passage_no) from thoth.substrate_verdicts v
        where v.tenant_id = $1 and v.slice_id = q.slice_id and v.outcome <> 'failed'), '{}') as judged
from thoth.substrate_unconsolidated q
where q.tenant_id = $1 and q.slice_id = any($2::uuid[])
