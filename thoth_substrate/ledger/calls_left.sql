-- calls_left(after interval, limit_rows bigint) -> LeftCall
-- Calls that were never settled: their processes have died. Locked here, written by the next statement.
select tenant_id, call_id
from thoth.substrate_agent_cost
where outcome = 'reserved' and called_at < thoth.substrate_now() - $1::interval
order by tenant_id, call_id
limit $2
for update skip locked
