-- crew_endpoints() -> Endpoint
-- The breakers. One that nobody has tried for an hour says nothing of today.
select e.endpoint, case when greatest(e.retry_at, e.last_failure_at) > thoth.substrate_now() - interval '1 hour' then e.state else 'closed' end as state,
       e.failures, e.retry_at, e.last_ok_at, e.last_failure, e.last_failure_at
from thoth.substrate_endpoints e
order by e.endpoint
