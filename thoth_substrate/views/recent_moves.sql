-- recent_moves(tenant text, since timestamptz, limit_rows bigint) -> Move
-- Bounded by time, so that only the newest months are read.
select e.at, e.cause, e.slice_id, e.anchor as level
from thoth.substrate_salience_events e
where e.tenant_id = $1
  and e.at >= $2
order by e.at desc, e.slice_id
limit $3
