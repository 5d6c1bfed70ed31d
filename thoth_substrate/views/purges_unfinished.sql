-- purges_unfinished(tenant text) -> Unfinished
-- Purges that were begun and not finished: what they were to take away may still be there. Receipts are few.
select count(*) as purges, min(purged_at) as begun_at
from thoth.substrate_purges
where tenant_id = $1 and receipt ->> 'state' <> 'done'
