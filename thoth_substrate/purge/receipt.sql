-- receipt(tenant text, purge_id uuid) -> Receipt
-- One receipt.
select purge_id, purged_at, cardinality(slice_ids) as slices, receipt ->> 'state' as state, receipt -> 'gone' as gone, receipt -> 'anew' as anew,
    decision_id
from thoth.substrate_purges where tenant_id = $1 and purge_id = $2
