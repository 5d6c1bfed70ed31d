-- facts_left(tenant text, slice_ids uuid[]) -> Left
-- What is held that rests on released slices: citations outlive their words.
select distinct c.slice_id, r.statement
from unnest($2::uuid[]) w(slice_id)
join thoth.substrate_citations c on c.tenant_id = $1 and c.slice_id = w.slice_id
join thoth.substrate_relationships r on r.tenant_id = $1 and r.relationship_id = c.row_id and r.retracted_at is null
order by c.slice_id, r.statement
