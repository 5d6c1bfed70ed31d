-- endpoint_failed(endpoint text, state text, failures integer, retry timestamptz, opens boolean, reason text) -> -
-- Writes what was decided under the lock.
update thoth.substrate_endpoints
set state = $2, failures = $3, retry_at = $4, last_failure = $6, last_failure_at = thoth.substrate_now(),
    opened = opened + case when $5 then 1 else 0 end,
    opened_at = case when $5 then thoth.substrate_now() else opened_at end
where endpoint = $1
