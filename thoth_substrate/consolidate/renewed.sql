-- renewed(tenant text, claim uuid, slice_ids uuid[], lease interval) -> -
-- A claim lasts while its holder waits for a model; whoever died stops renewing.
update thoth.substrate_unconsolidated
set claimed_until = thoth.substrate_now() + $4::interval
where tenant_id = $1 and claim = $2 and slice_id = any($3::uuid[])
