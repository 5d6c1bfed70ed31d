-- moved(tenant text, file_id uuid, path text, size bigint, mtime_ns bigint) -> LiveSlices
-- Only the path moves; nothing is taken in again.
update thoth.substrate_files f set path = $3, size = $4, mtime_ns = $5
where f.tenant_id = $1 and f.file_id = $2 and f.state = 'live'
    and not exists (
        select from thoth.substrate_files o
        where o.tenant_id = $1 and o.host = f.host and o.root = f.root and o.path = $3 and o.state <> 'retired'
    )
returning f.slice_ids
