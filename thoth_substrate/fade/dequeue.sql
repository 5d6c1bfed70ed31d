-- dequeue(tenant text, slice_ids uuid[]) -> -
-- Waits for nobody: a row that a worker holds now is left to it, and it finds the slice forgotten or released.
with p as (
    select slice_id from thoth.substrate_pending where tenant_id = $1 and slice_id = any($2::uuid[]) for update skip locked
), i as (
    select slice_id from thoth.substrate_unindexed where tenant_id = $1 and slice_id = any($2::uuid[]) for update skip locked
), c as (
    select slice_id from thoth.substrate_unconsolidated where tenant_id = $1 and slice_id = any($2::uuid[]) for update skip locked
), from_pending as (
    delete from thoth.substrate_pending q using p where q.tenant_id = $1 and q.slice_id = p.slice_id
), from_unindexed as (
    delete from thoth.substrate_unindexed q using i where q.tenant_id = $1 and q.slice_id = i.slice_id
)
delete from thoth.substrate_unconsolidated q using c where q.tenant_id = $1 and q.slice_id = c.slice_id
