-- empty_last_hour(tenant text) -> EmptyCount
-- Saying nothing is often right (below_floor), sometimes a fault (timeout, error): the reasons tell which.
select l.empty_reason as reason, count(*) as recalls
from thoth.substrate_recall_log l
where l.tenant_id = $1
  and l.asked_at > thoth.substrate_now() - interval '1 hour'
  and l.empty_reason is not null
group by l.empty_reason
order by count(*) desc, l.empty_reason
