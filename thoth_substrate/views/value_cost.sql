-- value_cost(since timestamptz) -> Spent
-- What each agent's calls cost of late, over every tenant.
select c.agent, sum(c.calls)::bigint as calls, sum(c.tokens)::bigint as tokens, sum(c.usd)::double precision as usd
from thoth.substrate_tenants t
cross join lateral (
    select k.agent, count(*) as calls, sum(k.prompt_tokens + k.completion_tokens) as tokens, sum(k.usd) as usd
    from thoth.substrate_agent_cost k
    where k.tenant_id = t.tenant_id
      and k.called_at > $1
    group by k.agent
) c
group by c.agent
