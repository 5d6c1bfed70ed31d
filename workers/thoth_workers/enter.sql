-- enter(agent text, holder text, singleton boolean, ttl interval) -> Permit
-- The gate in one statement: the operator's level, then the lease. Each new holder gets a higher token, so that an old one is known by its own.
insert into thoth.substrate_agents as a (agent, lease_holder, lease_token, lease_until)
values ($1, case when $3 then $2 end, case when $3 then 1 else 0 end, case when $3 then thoth.substrate_now() + $4::interval else '-infinity' end)
on conflict (agent) do update
set lease_token = a.lease_token + case when $3 and a.lease_holder is distinct from $2 then 1 else 0 end,
    lease_holder = case when $3 then $2 else a.lease_holder end,
    lease_until = case when $3 then thoth.substrate_now() + $4::interval else a.lease_until end
where (not $3 or a.lease_until <= thoth.substrate_now() or a.lease_holder = $2)
    and thoth.substrate_intensity(a.level, a.override_level, a.override_until) <> 'OFF'
returning a.lease_token as token,
    thoth.substrate_intensity(a.level, a.override_level, a.override_until) as level
