-- endpoint_answered(endpoint text) -> -
-- Closes the breaker. While all is well the row is written once a minute, not with every call.
insert into thoth.substrate_endpoints as e (endpoint, last_ok_at)
values ($1, thoth.substrate_now())
on conflict (endpoint) do update
set state = 'closed', failures = 0, retry_at = '-infinity', last_ok_at = excluded.last_ok_at
where e.state <> 'closed' or e.failures > 0 or e.last_ok_at is null or e.last_ok_at < excluded.last_ok_at - interval '1 minute'
