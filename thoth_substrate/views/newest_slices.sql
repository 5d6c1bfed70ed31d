-- newest_slices(tenant text, stream text, since timestamptz, limit_rows bigint) -> SliceLine
-- Newest first down the primary key, month by month, until there are enough.
select s.slice_id, t.stream, s.session_id as session, s.actor, s.event_time, s.ingest_time,
       s.triage_state, s.consolidation_state, s.forgotten, coalesce(a.pinned, false) as pinned,
       coalesce(thoth.substrate_level(a.anchor, a.anchored_at, a.half_life, a.pinned), 0.0) as salience, left(s.text, 500) as excerpt
from thoth.substrate_slices s
join thoth.substrate_streams t using (stream_id)
left join thoth.substrate_salience a on a.tenant_id = s.tenant_id and a.slice_id = s.slice_id
where s.tenant_id = $1
  and s.ingest_time >= $3
  and ($2::text is null or t.stream = $2)
order by s.slice_id desc
limit $4
