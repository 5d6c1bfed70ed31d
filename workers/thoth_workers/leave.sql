-- leave(agent text, holder text, token bigint) -> -
-- Whoever stops says so, and the next holder need not wait for the lease to end.
update thoth.substrate_agents set lease_holder = null, lease_until = '-infinity'
where agent = $1 and lease_holder = $2 and lease_token = $3
