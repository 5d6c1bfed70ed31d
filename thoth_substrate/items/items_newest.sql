-- items_newest(tenant text, store text, low text, high text, conditions jsonb, omit_expired boolean, limit_rows bigint, skip_rows bigint) -> ItemRow
-- A branch of names is one range of the key.
select i.namespace, i.key, i.value::text, i.created_at, i.updated_at, null::double precision as score
from thoth.substrate_items i
where i.tenant_id = $1 and i.store = $2 and i.path >= $3 and i.path < $4
  and thoth.substrate_item_matches(i.value, $5::jsonb)
  and (not $6 or i.expires_at is null or i.expires_at > thoth.substrate_now())
order by i.updated_at desc, i.number desc
limit $7 offset $8
