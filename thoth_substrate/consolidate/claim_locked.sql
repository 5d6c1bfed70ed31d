-- claim_locked(tenant text, slice_ids uuid[]) -> ClaimedSlice
-- Locked before they are written: a statement that does both was seen to pass over rows that another had just changed.
select slice_id
from thoth.substrate_unconsolidated
where tenant_id = $1 and slice_id = any($2::uuid[]) and not_before <= thoth.substrate_now() and claimed_until <= thoth.substrate_now()
order by slice_id
for update skip locked
