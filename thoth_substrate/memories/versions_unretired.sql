-- versions_unretired(tenant text, limit_rows bigint) -> Unretired
-- Changes that were cut off between storing the newer version and retiring the older, the oldest first, and whether the older is pinned. Only those whose newer version is stored and not forgotten meanwhile: the older one then stays.
select v.slice_id, v.replaces, coalesce(a.pinned, false) as pinned
from thoth.substrate_memory_versions v
left join thoth.substrate_salience a on a.tenant_id = $1 and a.slice_id = v.replaces
where v.tenant_id = $1
  and v.retired_at is null
  and exists (
      select from thoth.substrate_slices s
      where s.tenant_id = $1 and s.slice_id = v.slice_id and s.ingest_time = thoth.substrate_id_time(v.slice_id)
        and not s.forgotten
  )
order by v.changed_at, v.version
limit $2
