-- rows(tenant text, host text, root text) -> Row
-- What is known of a folder's files, but for those that are gone. Every look compares them all, so the list of slices stays behind.
select file_id, path, state, size, mtime_ns, seen_sha256, sha256
from thoth.substrate_files
where tenant_id = $1 and host = $2 and root = $3 and state <> 'retired'
order by path
