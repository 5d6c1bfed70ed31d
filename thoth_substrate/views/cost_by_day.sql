-- cost_by_day(tenant text, since timestamptz) -> Spent
-- What a tenant's calls cost, by agent, model and day (UTC). The index of the ledger serves it.
select c.agent, c.model, to_char(date_trunc('day', c.called_at, 'UTC') at time zone 'UTC', 'YYYY-MM-DD') as day, count(*) as calls,
       count(*) filter (where c.outcome in ('failed', 'abandoned')) as failed, count(*) filter (where c.outcome = 'reserved') as running,
       sum(c.prompt_tokens)::bigint as prompt_tokens, sum(c.completion_tokens)::bigint as completion_tokens,
       sum(c.cached_tokens)::bigint as cached_tokens, sum(c.usd) as usd, sum(c.latency_ms)::double precision as latency_ms
from thoth.substrate_agent_cost c
where c.tenant_id = $1
  and c.called_at >= $2
group by 1, 2, 3
