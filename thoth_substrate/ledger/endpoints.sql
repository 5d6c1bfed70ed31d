-- endpoints() -> EndpointLine
-- Every endpoint that was ever asked, and its breaker.
select endpoint, state, failures, opened, opened_at, case when state <> 'closed' then retry_at end as retry_at, last_ok_at,
    last_failure, last_failure_at
from thoth.substrate_endpoints
order by endpoint
