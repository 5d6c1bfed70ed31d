-- watched_files(tenant text, limit_rows bigint) -> WatchedFile
-- What is not simply live, the failed first: nobody should have to look for a file that is missing.
select root, path, state, error, attempts, not_before, size, cardinality(slice_ids) as live_slices
from thoth.substrate_files
where tenant_id = $1 and state in ('queued', 'ingesting', 'failed', 'skipped')
order by array_position(array['failed', 'ingesting', 'queued', 'skipped'], state), root, path
limit $2
