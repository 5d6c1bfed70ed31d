-- told(tenant text, agent text, since timestamptz, until timestamptz, limit_rows bigint) -> Decision
-- An agent's entries of a span in the order in which they were told. The diary is a session, so the index of sessions serves it.
select s.event_time as at, s.actor as agent, s.slice_id, s.payload -> 'decision' as decision
from thoth.substrate_slices s
where s.tenant_id = $1
  and s.session_id = 'diary'
  and s.event_time >= $3
  and s.event_time < $4
  and s.ingest_time >= $3
  and s.ingest_time < $4
  and s.actor = $2
order by s.event_time
limit $5
