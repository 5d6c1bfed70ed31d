-- unwanted(tenant text, slice_ids uuid[]) -> -
-- Forgotten, released or gone since it was queued: there is nothing left to promote. Waits for nobody.
with held as (
    select slice_id from thoth.substrate_unconsolidated where tenant_id = $1 and slice_id = any($2::uuid[]) for update skip locked
)
delete from thoth.substrate_unconsolidated q using held h where q.tenant_id = $1 and q.slice_id = h.slice_id
