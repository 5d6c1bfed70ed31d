-- crew_costs() -> AgentCost
-- What each agent cost in the last hour and the last day, over every tenant that the role sees, each by its own part of the index.
select c.agent, sum(c.hour_calls)::bigint as hour_calls, sum(c.hour_tokens)::bigint as hour_tokens, sum(c.hour_usd) as hour_usd,
       sum(c.calls)::bigint as day_calls, sum(c.failed)::bigint as day_failed, sum(c.tokens)::bigint as day_tokens, sum(c.usd) as day_usd
from thoth.substrate_tenants t
cross join lateral (
    select k.agent, count(*) as calls, count(*) filter (where k.outcome in ('failed', 'abandoned')) as failed,
           sum(k.prompt_tokens + k.completion_tokens) as tokens, sum(k.usd) as usd,
           count(*) filter (where k.called_at > (select thoth.substrate_now()) - interval '1 hour') as hour_calls,
           coalesce(sum(k.prompt_tokens + k.completion_tokens)
               filter (where k.called_at > (select thoth.substrate_now()) - interval '1 hour'), 0) as hour_tokens,
           coalesce(sum(k.usd) filter (where k.called_at > (select thoth.substrate_now()) - interval '1 hour'), 0) as hour_usd
    from thoth.substrate_agent_cost k
    where k.tenant_id = t.tenant_id
      and k.called_at > thoth.substrate_now() - interval '1 day'
    group by k.agent
) c
group by c.agent
order by c.agent
