-- newest_recall(tenant text) -> Found
-- "Why did it just say that?" is the question asked most.
select l.recall_id as id
from thoth.substrate_recall_log l
where l.tenant_id = $1
order by l.asked_at desc
limit 1
