-- tenants_with_work() -> TenantWithWork
-- Tenants with a slice that may be claimed now: from tenant to tenant by the key, since a backlog may be long.
with recursive waiting as (
    (select tenant_id from thoth.substrate_unconsolidated order by tenant_id limit 1)
    union all
    select (select q.tenant_id from thoth.substrate_unconsolidated q where q.tenant_id > w.tenant_id order by q.tenant_id limit 1)
    from waiting w where w.tenant_id is not null
)
select w.tenant_id
from waiting w
where w.tenant_id is not null and exists (
    select from thoth.substrate_unconsolidated q
    where q.tenant_id = w.tenant_id and q.not_before <= thoth.substrate_now() and q.claimed_until <= thoth.substrate_now()
)
order by w.tenant_id
