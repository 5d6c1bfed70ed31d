-- endpoint_probe(endpoint text, lease interval) -> Probing
-- One caller becomes the prober: the others find retry_at moved. One that dies is replaced when its lease is over.
update thoth.substrate_endpoints
set state = 'half_open', retry_at = thoth.substrate_now() + $2::interval
where endpoint = $1 and state <> 'closed' and retry_at <= thoth.substrate_now()
returning failures
