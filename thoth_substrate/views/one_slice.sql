-- one_slice(tenant text, slice_id uuid, ingest_time timestamptz) -> SliceRow
-- One row of one month: the id carries the ingest time.
select s.slice_id, t.stream, s.session_id as session, s.actor, s.event_time, s.event_offset_s, s.ingest_time, s.trust,
       s.triage_state, s.triage_reason, s.consolidation_state, s.consolidation_attempts, s.forgotten, s.released_at,
       s.external_id, encode(s.content_hash, 'hex') as content_hash, s.text, s.payload, s.metadata,
       a.profile, thoth.substrate_level(a.anchor, a.anchored_at, a.half_life, a.pinned) as salience,
       a.anchor, a.anchored_at, a.half_life, a.fades_at, a.importance,
       coalesce(a.pinned, false) as pinned, coalesce(a.releasable, false) as releasable, a.reinforced_at
from thoth.substrate_slices s
join thoth.substrate_streams t using (stream_id)
left join thoth.substrate_salience a on a.tenant_id = s.tenant_id and a.slice_id = s.slice_id
where s.tenant_id = $1
  and s.slice_id = $2
  and s.ingest_time = $3
