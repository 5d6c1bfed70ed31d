-- held(tenant text, claim uuid, slice_ids uuid[]) -> HeldSlice
-- What is still ours of a claim, locked in the order of the ids.
select slice_id, attempts
from thoth.substrate_unconsolidated
where tenant_id = $1 and claim = $2 and slice_id = any($3::uuid[])
order by slice_id
for update
