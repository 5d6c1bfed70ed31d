-- consolidation_asked() -> TenantAsking
-- Whoever asked and was not served yet: numbers only, so that the role of the workers may look.
select c.tenant_id
from thoth.substrate_cursors c
where c.agent = 'consolidator'
  and coalesce((c.position ->> 'asked')::bigint, 0) > coalesce((c.position ->> 'done')::bigint, 0)
order by c.moved_at, c.tenant_id
