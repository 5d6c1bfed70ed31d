-- newest(tenant text, before uuid, before_time timestamptz, rows bigint) -> Candidate
-- Down the primary key, month by month: an id carries the time of perceiving.
select s.slice_id, s.event_time
from thoth.substrate_slices s
where s.tenant_id = $1
  and s.slice_id < $2
  and s.ingest_time <= $3
order by s.slice_id desc
limit $4
