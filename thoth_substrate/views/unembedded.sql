-- unembedded(tenant text) -> Waiting
-- One pass over the tenant's part of a queue that is empty when all is well.
select count(*) filter (where e.not_before < 'infinity') as waiting,
       count(*) filter (where e.attempts > 0 and e.not_before < 'infinity') as failing,
       count(*) filter (where e.not_before = 'infinity') as given_up,
       min(e.queued_at) filter (where e.not_before < 'infinity') as oldest,
       min(e.not_before) filter (where e.attempts > 0 and e.not_before < 'infinity') as next_try
from thoth.substrate_unembedded e
where e.tenant_id = $1
