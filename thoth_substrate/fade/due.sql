-- due(limit_rows bigint) -> Due
-- What has faded, of any tenant: a range of the index on fades_at, never a look at every anchor.
select tenant_id, slice_id
from thoth.substrate_salience
where releasable and not pinned and fades_at <= thoth.substrate_now()
order by fades_at
limit $1
