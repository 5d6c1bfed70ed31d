-- changed(tenant text, file_ids uuid[], sizes bigint[], mtimes bigint[], hashes bytea[]) -> -
-- Another content waits to be taken in, as a version of its own; an attempt at the one before it is overtaken. What lies there is the live version again where somebody put that back.
update thoth.substrate_files f
set size = w.size, mtime_ns = w.mtime_ns, seen_sha256 = w.hash, seen_at = thoth.substrate_now(), version = f.version + 1,
    state = case when f.sha256 = w.hash then 'live' else 'queued' end,
    error = '', attempts = 0, not_before = '-infinity', claim = null
from unnest($2::uuid[], $3::bigint[], $4::bigint[], $5::bytea[]) w(file_id, size, mtime_ns, hash)
where f.tenant_id = $1 and f.file_id = w.file_id and f.state <> 'retired'
