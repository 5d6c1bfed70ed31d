-- recent(tenant text, limit_rows bigint) -> Receipt
-- Receipts, the newest first.
select purge_id, purged_at, cardinality(slice_ids) as slices, receipt ->> 'state' as state, receipt -> 'gone' as gone, receipt -> 'anew' as anew,
    decision_id
from thoth.substrate_purges where tenant_id = $1 order by purge_id desc limit $2
