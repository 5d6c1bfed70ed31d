-- vectors_gone(tenant text, store text, names jsonb) -> -
-- Of items that are put anew: a field that is no more would be found for ever.
delete from thoth.substrate_item_vectors v
using jsonb_to_recordset($3::jsonb) as n(namespace text[], key text)
where v.tenant_id = $1 and v.store = $2 and v.namespace = n.namespace and v.key = n.key
