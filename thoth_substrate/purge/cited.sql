-- cited(tenant text, slice_ids uuid[]) -> Cited
-- Rows that rest on these slices, with the decisions that said so.
select c.row_id, coalesce(array_agg(distinct c.decision_id) filter (where c.decision_id is not null), '{}') as decision_ids
from thoth.substrate_citations c
where c.tenant_id = $1 and c.slice_id = any ($2::uuid[])
group by c.row_id order by c.row_id
