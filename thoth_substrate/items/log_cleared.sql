-- log_cleared(tenant text, store text, path text) -> Cleared
-- Takes every entry, and tells whose words were perceived.
delete from thoth.substrate_items i where i.tenant_id = $1 and i.store = $2 and i.path = $3 returning i.number, i.noted
