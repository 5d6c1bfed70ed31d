-- endpoint_state(endpoint text) -> EndpointState
-- Read before every call: most of the time the breaker is closed, and nothing is locked.
select state, failures, retry_at, retry_at <= thoth.substrate_now() as due, coalesce(last_failure, '') as reason
from thoth.substrate_endpoints
where endpoint = $1
