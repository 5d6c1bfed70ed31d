-- items_deleted(tenant text, store text, names jsonb) -> -
-- Gone with their vectors; a trigger notes whose words are to be forgotten.
delete from thoth.substrate_items i
using jsonb_to_recordset($3::jsonb) as n(path text, key text)
where i.tenant_id = $1 and i.store = $2 and i.path = n.path and i.key = n.key
