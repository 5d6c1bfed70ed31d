-- of_session(tenant text, session text, before uuid, before_time timestamptz, rows bigint) -> Candidate
-- A conversation's turns, the last first, by when they happened: the second index of slices serves it.
select s.slice_id, s.event_time
from thoth.substrate_slices s
where s.tenant_id = $1
  and s.session_id = $2
  and s.event_time <= $4
  and (s.event_time, s.slice_id) < ($4, $3)
order by s.event_time desc, s.slice_id desc
limit $5
