-- endpoint_lock(endpoint text) -> Breaker
-- Locks the breaker, so that failures which come together are counted one by one.
select state, failures, retry_at, thoth.substrate_now() as at
from thoth.substrate_endpoints
where endpoint = $1
for update
