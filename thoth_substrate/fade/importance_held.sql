-- importance_held(tenant text, slice_ids uuid[]) -> -
-- Anchors locked in the order of their ids, as reinforcement locks them, before they are moved.
select slice_id from thoth.substrate_salience where tenant_id = $1 and slice_id = any($2::uuid[]) order by slice_id for update
