-- added(tenant text, host text, root text, file_ids uuid[], paths text[], sizes bigint[], mtimes bigint[], hashes bytea[]) -> -
-- New files wait to be taken in. One that somebody else wrote down meanwhile is left alone: the next look compares it.
insert into thoth.substrate_files (tenant_id, host, root, file_id, path, size, mtime_ns, seen_sha256, version)
select $1, $2, $3, w.file_id, w.path, w.size, w.mtime_ns, w.hash, 1
from unnest($4::uuid[], $5::text[], $6::bigint[], $7::bigint[], $8::bytea[]) w(file_id, path, size, mtime_ns, hash)
on conflict do nothing
