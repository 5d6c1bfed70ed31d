-- recall_by_prefix(tenant text, low uuid, high uuid) -> Found
-- The first characters of a recall's id are a range of the primary key.
select l.recall_id as id
from thoth.substrate_recall_log l
where l.tenant_id = $1
  and l.recall_id between $2 and $3
order by l.recall_id
limit 5
