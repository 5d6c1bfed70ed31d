-- vectors_gone(tenant text, store text, names jsonb) -> -
-- Of items that are put anew: a field that is no more would be found for ever.
delete from thoth.substrate_item_vectors v
using jsonb_to_recordset($3::jsonb) as n(path text, key text)
where v.tenant_id = $1 and v.store = $2 and v.path = n.path and v.key = n.key
