-- merged(tenant text, kept_id bigint, merged_id bigint, reason text, decision_id uuid) -> MadeMerge
-- One pointer deep: who pointed to the merged one points to the kept one, and is written down, so that it can be undone exactly.
with moved as (
    update thoth.substrate_entities set merged_into = $2
    where tenant_id = $1 and merged_into = $3
    returning entity_id
), pointed as (
    update thoth.substrate_entities set merged_into = $2 where tenant_id = $1 and entity_id = $3
)
insert into thoth.substrate_entity_merges (tenant_id, kept_id, merged_id, moved_ids, reason, decision_id)
select $1, $2, $3, coalesce((select array_agg(entity_id order by entity_id) from moved), '{}'), $4, $5
returning merge_id
