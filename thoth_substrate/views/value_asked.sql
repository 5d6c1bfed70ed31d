-- value_asked(since timestamptz, limit_rows bigint) -> Asked
-- Tenants that asked something of late: only theirs can have been shown anything.
select t.tenant_id
from thoth.substrate_tenants t
where exists (
    select from thoth.substrate_recall_log l where l.tenant_id = t.tenant_id and l.asked_at > $1
)
limit $2
