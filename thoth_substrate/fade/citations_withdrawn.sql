-- citations_withdrawn(tenant text, slice_ids uuid[]) -> -
-- What rests on these slices rests on them no more. The quotes stay, so that one can ask what it was said with.
update thoth.substrate_citations set withdrawn_at = thoth.substrate_now()
where tenant_id = $1 and slice_id = any ($2::uuid[]) and withdrawn_at is null
