-- versions_cut_off(limit_rows bigint) -> CutOff
-- Tenants with a change whose newer version is stored and not forgotten meanwhile, and whose older one is not retired, from the index of those alone. What is younger than a minute may be under way and finishes itself.
select distinct v.tenant_id
from thoth.substrate_memory_versions v
where v.retired_at is null
  and v.changed_at < thoth.substrate_now() - interval '1 minute'
  and exists (
      select from thoth.substrate_slices s
      where s.tenant_id = v.tenant_id and s.slice_id = v.slice_id and s.ingest_time = thoth.substrate_id_time(v.slice_id)
        and not s.forgotten
  )
limit $1
