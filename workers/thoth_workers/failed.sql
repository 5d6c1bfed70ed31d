-- failed(agent text, failure text) -> -
-- What went wrong, for `agents` and `health`; no heartbeat, since a Sentinel that fails is not alive to see what is pending.
insert into thoth.substrate_agents (agent, last_failure, last_failure_at)
values ($1, $2, thoth.substrate_now())
on conflict (agent) do update set last_failure = excluded.last_failure, last_failure_at = excluded.last_failure_at
