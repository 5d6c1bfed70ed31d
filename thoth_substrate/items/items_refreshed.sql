-- items_refreshed(tenant text, store text, names jsonb) -> -
-- What a search found lives for its whole time again from now on.
update thoth.substrate_items i set expires_at = thoth.substrate_now() + i.ttl
from jsonb_to_recordset($3::jsonb) as n(path text, key text)
where i.tenant_id = $1 and i.store = $2 and i.path = n.path and i.key = n.key and i.ttl is not null
