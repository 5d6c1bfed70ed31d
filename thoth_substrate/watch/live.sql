-- live(tenant text, file_id uuid, hash bytea, kind text, slice_ids uuid[]) -> -
-- The new version is what answers; the caller has found every slice of it, holds the row, and retires the one before in this transaction.
update thoth.substrate_files
set state = 'live', error = '', attempts = 0, claim = null, seen_sha256 = $3, kind = $4, previous_sha256 = sha256, sha256 = $3,
    slice_ids = $5, live_at = thoth.substrate_now()
where tenant_id = $1 and file_id = $2
