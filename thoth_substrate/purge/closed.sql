-- closed(tenant text, purge_id uuid) -> -
-- From now on an agent that has read what is purged writes nothing of it.
update thoth.substrate_purges set receipt = receipt || '{"state": "closing"}' where tenant_id = $1 and purge_id = $2
