-- log_latest(tenant text, store text, path text, limit_rows bigint) -> ItemRow
-- The last entries, the newest first; all of them when there is no limit.
select i.namespace, i.key, i.value::text, i.created_at, i.updated_at, null::double precision as score
from thoth.substrate_items i
where i.tenant_id = $1 and i.store = $2 and i.path = $3
order by i.key desc
limit $4
