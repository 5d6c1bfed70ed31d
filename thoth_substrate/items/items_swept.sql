-- items_swept(tenant text, store text) -> -
-- What has outlived its time; a trigger notes whose words are to be forgotten.
delete from thoth.substrate_items i where i.tenant_id = $1 and i.store = $2 and i.expires_at < thoth.substrate_now()
