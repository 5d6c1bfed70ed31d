-- unsaid(tenant text, store text, source text, limit_rows bigint) -> Unsaid
-- Whose words are to be forgotten, and which slice they became; null when it is not there (yet).
select u.number, x.slice_id, u.queued_at < thoth.substrate_now() - interval '1 hour' as overdue
from thoth.substrate_items_unsaid u
left join thoth.substrate_external_ids x on x.tenant_id = $1 and x.source = $3 and x.external_id = u.number::text
where u.tenant_id = $1 and u.store = $2
order by u.number
limit $4
