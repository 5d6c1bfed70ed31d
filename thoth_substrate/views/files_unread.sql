-- files_unread(tenant text) -> Unread
-- Files whose last attempt failed, found by the index of what is due; since when the longest of them is as it is.
select count(*) as files, min(seen_at) as since, count(*) filter (where cardinality(slice_ids) > 0) as older
from thoth.substrate_files
where tenant_id = $1 and state = 'failed'
