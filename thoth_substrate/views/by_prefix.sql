-- by_prefix(tenant text, low uuid, high uuid, from_time timestamptz, to_time timestamptz) -> Found
-- An id begins with its time, so its first characters are a range of the primary key within a month or two.
select s.slice_id as id
from thoth.substrate_slices s
where s.tenant_id = $1
  and s.slice_id between $2 and $3
  and s.ingest_time between $4 and $5
order by s.slice_id
limit 5
