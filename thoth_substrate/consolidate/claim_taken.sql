-- claim_taken(tenant text, slice_ids uuid[], claim uuid, lease interval) -> -
-- Fenced: the token says whose they are, and the next one who takes them writes another.
update thoth.substrate_unconsolidated
set claim = $3, claimed_until = thoth.substrate_now() + $4::interval
where tenant_id = $1 and slice_id = any($2::uuid[])
