-- costs_of_tenant(tenant text, since timestamptz) -> CostLine
-- What each agent's calls have cost a tenant.
select agent, kind, endpoint, model, count(*) as calls, count(*) filter (where outcome = 'failed') as failed,
    count(*) filter (where outcome = 'abandoned') as abandoned, count(*) filter (where outcome = 'reserved') as running,
    coalesce(sum(prompt_tokens), 0)::bigint as prompt_tokens, coalesce(sum(completion_tokens), 0)::bigint as completion_tokens,
    coalesce(sum(cached_tokens), 0)::bigint as cached_tokens,
    coalesce(sum(reserved_tokens) filter (where outcome = 'reserved'), 0)::bigint as reserved_tokens,
    coalesce(sum(usd), 0) as usd, coalesce(avg(latency_ms) filter (where outcome in ('ok', 'salvaged')), 0) as latency_ms,
    max(called_at) as last_at
from thoth.substrate_agent_cost
where tenant_id = $1 and called_at >= $2
group by agent, kind, endpoint, model
order by agent, kind, endpoint, model
