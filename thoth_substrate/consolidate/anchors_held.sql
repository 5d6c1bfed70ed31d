-- anchors_held(tenant text, slice_ids uuid[]) -> -
-- Their salience rows too, in the same order as recall locks them: the trigger that lets them fade would take them in another.
select slice_id from thoth.substrate_salience where tenant_id = $1 and slice_id = any($2::uuid[]) order by slice_id for no key update
