-- slices_of_session(tenant text, session text, stream text, since timestamptz, limit_rows bigint) -> SliceLine
-- A conversation's last turns, by when they happened: the second index of slices serves it.
select s.slice_id, t.stream, s.session_id as session, s.actor, s.event_time, s.ingest_time,
       s.triage_state, s.consolidation_state, s.forgotten, coalesce(a.pinned, false) as pinned,
       coalesce(thoth.substrate_level(a.anchor, a.anchored_at, a.half_life, a.pinned), 0.0) as salience, left(s.text, 500) as excerpt
from thoth.substrate_slices s
join thoth.substrate_streams t using (stream_id)
left join thoth.substrate_salience a on a.tenant_id = s.tenant_id and a.slice_id = s.slice_id
where s.tenant_id = $1
  and s.session_id = $2
  and s.ingest_time >= $4
  and ($3::text is null or t.stream = $3)
order by s.event_time desc, s.slice_id desc
limit $5
