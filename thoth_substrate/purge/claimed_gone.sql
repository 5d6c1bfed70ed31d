-- claimed_gone(tenant text, purge_id uuid) -> ClaimedGone
-- What a receipt says is gone: slices by their ids, rows of the layers by their numbers.
select slice_ids, coalesce((select array_agg(n::bigint) from jsonb_array_elements_text(receipt -> 'rows') n), '{}') as row_ids, purged_at
from thoth.substrate_purges where tenant_id = $1 and purge_id = $2
