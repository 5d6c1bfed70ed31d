-- purges_so_far(tenant text) -> SoFar
-- Grows with each step by which a purge of the tenant comes nearer its end.
select count(*) filter (where receipt ->> 'state' in ('closing', 'done')) + count(*) filter (where receipt ->> 'state' = 'done') as steps
from thoth.substrate_purges where tenant_id = $1
