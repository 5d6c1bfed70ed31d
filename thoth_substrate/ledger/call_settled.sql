-- call_settled(tenant text, call uuid, outcome text, prompt integer, completion integer, cached integer, usd float8, latency real, reason text) -> Settled
-- What a call cost in the end. Once only: one that was given up meanwhile stays counted in full.
update thoth.substrate_agent_cost
set outcome = $3, prompt_tokens = $4, completion_tokens = $5, cached_tokens = $6, usd = $7, latency_ms = $8, reason = $9,
    settled_at = thoth.substrate_now()
where tenant_id = $1 and call_id = $2 and outcome = 'reserved'
returning agent, called_at, reserved_tokens as tokens, reserved_usd as usd
