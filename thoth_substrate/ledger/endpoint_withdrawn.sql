-- endpoint_withdrawn(endpoint text) -> -
-- The prober did not call after all: the next may.
update thoth.substrate_endpoints
set state = 'open', retry_at = thoth.substrate_now()
where endpoint = $1 and state = 'half_open'
