-- verdicts_known(tenant text, slice_ids uuid[]) -> KnownVerdict
-- What earlier attempts settled.
select slice_id, passage_no, outcome, reason from thoth.substrate_verdicts where tenant_id = $1 and slice_id = any($2::uuid[])
