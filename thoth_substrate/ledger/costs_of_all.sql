-- costs_of_all(since timestamptz) -> CostLine
-- The same for all tenants together, each by its own part of the index.
select c.agent, c.kind, c.endpoint, c.model, count(*) as calls, count(*) filter (where c.outcome = 'failed') as failed,
    count(*) filter (where c.outcome = 'abandoned') as abandoned, count(*) filter (where c.outcome = 'reserved') as running,
    coalesce(sum(c.prompt_tokens), 0)::bigint as prompt_tokens,
    coalesce(sum(c.completion_tokens), 0)::bigint as completion_tokens,
    coalesce(sum(c.cached_tokens), 0)::bigint as cached_tokens,
    coalesce(sum(c.reserved_tokens) filter (where c.outcome = 'reserved'), 0)::bigint as reserved_tokens,
    coalesce(sum(c.usd), 0) as usd, coalesce(avg(c.latency_ms) filter (where c.outcome in ('ok', 'salvaged')), 0) as latency_ms,
    max(c.called_at) as last_at
from thoth.substrate_tenants t
join thoth.substrate_agent_cost c on c.tenant_id = t.tenant_id and c.called_at >= $1
group by c.agent, c.kind, c.endpoint, c.model
order by c.agent, c.kind, c.endpoint, c.model
