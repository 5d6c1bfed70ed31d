-- retired(tenant text, file_id uuid) -> -
-- It lies there no more; the caller retires its slices in this transaction.
update thoth.substrate_files
set state = 'retired', error = '', claim = null, seen_at = thoth.substrate_now(), previous_sha256 = coalesce(sha256, previous_sha256),
    sha256 = null, slice_ids = '{}'
where tenant_id = $1 and file_id = $2
