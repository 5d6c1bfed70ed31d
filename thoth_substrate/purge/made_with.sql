-- made_with(tenant text, decision_ids uuid[]) -> MadeWith
-- What the same decisions said of other slices: they had the purged words before them.
select d.slice_id, null::smallint as passage_no, d.summary || ' ' || array_to_string(d.topics, ' ') as text
from thoth.substrate_digests d where d.tenant_id = $1 and d.decision_id = any ($2::uuid[])
union all
select v.slice_id, v.passage_no, v.reason from thoth.substrate_verdicts v
where v.tenant_id = $1 and v.decision_id = any ($2::uuid[]) and v.reason <> ''
order by 1, 2
