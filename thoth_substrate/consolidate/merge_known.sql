-- merge_known(tenant text, merge_id bigint) -> KnownMerge
-- A merge that was not undone yet, under lock.
select kept_id, merged_id, moved_ids
from thoth.substrate_entity_merges
where tenant_id = $1 and merge_id = $2 and undone_at is null
for update
