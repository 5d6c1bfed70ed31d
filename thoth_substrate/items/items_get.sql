-- items_get(tenant text, store text, asked jsonb, omit_expired boolean) -> ItemRow
-- By name. Those that are asked for with refresh live for their whole time again from now on; what is read is as it was before.
with asked as materialized (
    select path, key, bool_or(refresh) as refresh
    from jsonb_to_recordset($3::jsonb) as a(path text, key text, refresh boolean)
    group by path, key
), refreshed as (
    update thoth.substrate_items i set expires_at = thoth.substrate_now() + i.ttl
    from asked a
    where i.tenant_id = $1 and i.store = $2 and i.path = a.path and i.key = a.key
      and a.refresh and i.ttl is not null and (not $4 or i.expires_at > thoth.substrate_now())
)
select i.namespace, i.key, i.value::text, i.created_at, i.updated_at, null::double precision as score
from asked a
join thoth.substrate_items i on i.tenant_id = $1 and i.store = $2 and i.path = a.path and i.key = a.key
where not $4 or i.expires_at is null or i.expires_at > thoth.substrate_now()
