-- touched(tenant text, file_ids uuid[], sizes bigint[], mtimes bigint[]) -> -
-- The same content under another time: written down so that the next quick look need not read it.
update thoth.substrate_files f set size = w.size, mtime_ns = w.mtime_ns
from unnest($2::uuid[], $3::bigint[], $4::bigint[]) w(file_id, size, mtime_ns)
where f.tenant_id = $1 and f.file_id = w.file_id
