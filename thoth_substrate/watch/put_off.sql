-- put_off(tenant text, file_id uuid, claim uuid, state text, error text, attempts smallint, wait interval) -> -
-- Tried in vain, or waiting for something: it stays in view, is tried again later, and what was live of it stays live.
update thoth.substrate_files
set state = $4, error = $5, attempts = $6, claim = null, not_before = thoth.substrate_now() + $7
where tenant_id = $1 and file_id = $2 and claim = $3 and state = 'ingesting'
