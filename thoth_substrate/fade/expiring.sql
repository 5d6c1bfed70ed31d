-- expiring(from_time timestamptz, to_time timestamptz) -> Tenant
-- Whose rejected slices or diary entries of a month have outlived their profile's keeping and still hold content.
select distinct s.tenant_id
from thoth.substrate_slices s
join thoth.substrate_streams st on st.stream_id = s.stream_id
join thoth.substrate_profiles p on p.profile = st.profile
where s.ingest_time >= $1 and s.ingest_time < $2 and s.released_at is null
    and (s.triage_state = 'rejected' or s.consolidation_state = 'exempt')
    and s.ingest_time + p.expire_after <= thoth.substrate_now()
order by s.tenant_id
