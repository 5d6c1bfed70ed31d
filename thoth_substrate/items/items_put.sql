-- items_put(tenant text, store text, puts jsonb) -> Written
-- What is said of an item stays noted under its first number while its words stay the same: nothing is perceived twice. Its vectors go: a field that is no more would be found for ever.
with given as materialized (
    select path, key, namespace, value, said, make_interval(secs => ttl_s) as ttl, nextval('thoth.substrate_item_numbers') as number
    from jsonb_to_recordset($3::jsonb) as g(path text, key text, namespace text[], value jsonb, ttl_s double precision, said text)
), unindexed as (
    delete from thoth.substrate_item_vectors v
    using given g
    where v.tenant_id = $1 and v.store = $2 and v.path = g.path and v.key = g.key
)
insert into thoth.substrate_items as i (tenant_id, store, path, key, namespace, value, number, said, noted, ttl, expires_at)
select $1, $2, path, key, namespace, value, number, said, case when said is not null then number end, ttl, thoth.substrate_now() + ttl
from given
on conflict (tenant_id, store, path, key) do update
set value = excluded.value, number = excluded.number, updated_at = excluded.updated_at, ttl = excluded.ttl,
    expires_at = excluded.expires_at, said = excluded.said,
    noted = case when i.said = excluded.said then i.noted else excluded.noted end
returning i.namespace, i.key, i.number, i.noted
