-- asked_session(tenant text, session_no integer, from_time timestamptz, to_time timestamptz, limit_rows bigint) -> Told
-- A conversation as it went on a day, by the index of passages by session.
select p.slice_id, min(p.event_time) as event_time
from thoth.substrate_passages p
where p.tenant_id = $1 and p.session_no = $2 and p.event_time >= $3 and p.event_time <= $4
group by p.slice_id
order by min(p.seq) desc
limit $5
