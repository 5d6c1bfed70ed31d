-- replay_entry(tenant text, slice_id uuid) -> Entry
-- One decision, with whether it is what was written: its payload is hashed anew.
select s.actor as agent, s.payload,
    s.payload is null or digest(convert_to(s.payload::text, 'UTF8'), 'sha256') = s.content_hash as unedited
from thoth.substrate_slices s
where s.tenant_id = $1 and s.slice_id = $2 and s.ingest_time = thoth.substrate_id_time($2) and s.session_id = 'diary'
