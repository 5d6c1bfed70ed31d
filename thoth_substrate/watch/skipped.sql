-- skipped(tenant text, file_id uuid, hash bytea, kind text, reason text) -> -
-- There is nothing in it to take in, and it is said why; the caller retires what was live of it in this transaction.
update thoth.substrate_files
set state = 'skipped', error = $5, attempts = 0, claim = null, seen_sha256 = $3, kind = $4, previous_sha256 = coalesce(sha256, previous_sha256),
    sha256 = null, slice_ids = '{}'
where tenant_id = $1 and file_id = $2
