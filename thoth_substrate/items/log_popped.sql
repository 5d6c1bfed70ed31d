-- log_popped(tenant text, store text, path text) -> ItemRow
-- Takes the newest entry; a trigger notes its words to be forgotten.
delete from thoth.substrate_items i
where i.tenant_id = $1 and i.store = $2 and i.path = $3 and i.key = (
    select l.key from thoth.substrate_items l
    where l.tenant_id = $1 and l.store = $2 and l.path = $3
    order by l.key desc limit 1
)
returning i.namespace, i.key, i.value::text, i.created_at, i.updated_at, null::double precision as score
