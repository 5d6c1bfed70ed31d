-- unclaimed(tenant text, claim uuid, slice_ids uuid[]) -> -
-- Given back as they were: nobody was asked, so that no attempt is counted.
update thoth.substrate_unconsolidated
set claim = null, claimed_until = '-infinity'
where tenant_id = $1 and claim = $2 and ($3::uuid[] is null or slice_id = any($3::uuid[]))
