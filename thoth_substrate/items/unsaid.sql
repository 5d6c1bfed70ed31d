-- unsaid(tenant text, store text, source text, limit_rows bigint) -> Unsaid
-- Whose words are to be forgotten, and which slice they became; null when it is not there (yet). The cast comes first: within the join it would keep row-level security from using the key.
with waiting as materialized (
    select number, number::text as external_id, queued_at < thoth.substrate_now() - interval '1 hour' as overdue
    from thoth.substrate_items_unsaid
    where tenant_id = $1 and store = $2
    order by number
    limit $4
)
select w.number, x.slice_id, w.overdue
from waiting w
left join thoth.substrate_external_ids x on x.tenant_id = $1 and x.source = $3 and x.external_id = w.external_id
order by w.number
