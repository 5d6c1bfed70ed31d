-- unmerged(tenant text, merge_id bigint, merged_id bigint, moved_ids bigint[]) -> -
-- The merged one stands for itself again, and those that came with it point to it, unless they were parted from it since.
with pointed as (
    update thoth.substrate_entities set merged_into = null where tenant_id = $1 and entity_id = $3
), moved as (
    update thoth.substrate_entities e set merged_into = $3
    where e.tenant_id = $1 and e.entity_id = any($4::bigint[]) and e.merged_into = (
        select m.merged_into from thoth.substrate_entities m where m.tenant_id = $1 and m.entity_id = $3
    )
)
update thoth.substrate_entity_merges set undone_at = thoth.substrate_now() where tenant_id = $1 and merge_id = $2
