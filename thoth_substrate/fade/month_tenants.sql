-- month_tenants(from_time timestamptz, to_time timestamptz) -> Tenant
-- Whose diary a month holds.
select distinct s.tenant_id from thoth.substrate_slices s
where s.ingest_time >= $1 and s.ingest_time < $2 and s.consolidation_state = 'exempt'
order by s.tenant_id
