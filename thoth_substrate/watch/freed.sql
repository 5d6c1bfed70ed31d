-- freed(tenant text, host text, root text) -> -
-- Attempts of a process that is gone (only one watches a folder at a time) wait again, and count as none.
update thoth.substrate_files set state = 'queued', claim = null
where tenant_id = $1 and host = $2 and root = $3 and state = 'ingesting'
