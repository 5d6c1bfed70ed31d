-- due_again(tenant text, slice_ids uuid[]) -> -
-- Parsed in part, and to be parsed on from there: nobody's claim any more, and no attempt in vain.
update thoth.substrate_unconsolidated
set claim = null, claimed_until = '-infinity'
where tenant_id = $1 and slice_id = any($2::uuid[])
