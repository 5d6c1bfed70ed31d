-- due(tenant text, host text, roots text[], limit_rows bigint) -> Due
-- What waits to be taken in, the least tried first; nobody waits for another who has locked it.
select file_id, attempts, size
from thoth.substrate_files
where tenant_id = $1 and host = $2 and root = any ($3::text[]) and state in ('queued', 'failed') and not_before <= thoth.substrate_now()
order by least(attempts, 2), not_before, file_id
limit $4
for update skip locked
