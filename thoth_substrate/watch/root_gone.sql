-- root_gone(tenant text, host text, root text) -> -
-- The folder is watched no more; its files are retired before.
delete from thoth.substrate_roots where tenant_id = $1 and host = $2 and root = $3
