-- version_held(tenant text, slice_id uuid) -> Standing
-- The slice that is to be replaced, locked until the transaction ends, so that of two who change it one comes second.
select s.consolidation_state, s.forgotten, s.released_at is not null as released, v.version, v.first_id, n.slice_id as replaced_by,
       t.stream, s.session_id as session, s.actor, s.event_time, s.text, s.payload, s.metadata,
       coalesce(a.pinned, false) as pinned
from thoth.substrate_slices s
join thoth.substrate_streams t using (stream_id)
left join thoth.substrate_salience a on a.tenant_id = $1 and a.slice_id = $2
left join thoth.substrate_memory_versions v on v.tenant_id = $1 and v.slice_id = $2
left join thoth.substrate_memory_versions n on n.tenant_id = $1 and n.replaces = $2
where s.tenant_id = $1
  and s.slice_id = $2
  and s.ingest_time = thoth.substrate_id_time($2)
for no key update of s
