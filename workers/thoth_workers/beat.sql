-- beat(agent text, holder text, singleton boolean, token bigint, ttl interval, well boolean, gap interval, ticks bigint, report jsonb) -> Permit
-- Renew the lease; after a tick that went well, give a sign of life too. Nothing comes back when the token is no longer the newest.
update thoth.substrate_agents a
set lease_until = case when $3 then thoth.substrate_now() + $5::interval else a.lease_until end,
    alive_since = case when not $6 then a.alive_since
        when a.heartbeat_at >= thoth.substrate_now() - $7::interval then coalesce(a.alive_since, thoth.substrate_now())
        else thoth.substrate_now() end,
    heartbeat_at = case when $6 then thoth.substrate_now() else a.heartbeat_at end,
    ticks = a.ticks + $8, last_report = coalesce($9::jsonb, a.last_report)
where a.agent = $1 and (not $3 or (a.lease_holder = $2 and a.lease_token = $4))
returning a.lease_token as token,
    thoth.substrate_intensity(a.level, a.override_level, a.override_until) as level
