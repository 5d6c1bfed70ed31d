-- calls_abandoned(tenants text[], calls uuid[]) -> Settled
-- Counts them in full: nobody knows what they cost, and the provider may have charged it all.
update thoth.substrate_agent_cost c
set outcome = 'abandoned', prompt_tokens = c.reserved_tokens, usd = c.reserved_usd, settled_at = thoth.substrate_now(),
    reason = 'its process ended before the call did'
from unnest($1::text[], $2::uuid[]) as w (tenant_id, call_id)
where c.tenant_id = w.tenant_id and c.call_id = w.call_id
returning c.agent, c.called_at, c.reserved_tokens as tokens, c.reserved_usd as usd
