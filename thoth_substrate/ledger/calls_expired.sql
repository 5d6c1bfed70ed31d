-- calls_expired(keep interval, limit_rows bigint) -> -
-- The ledger fades as well: a batch of what is older, by each tenant's index.
delete from thoth.substrate_agent_cost c
using thoth.substrate_tenants t
cross join lateral (
    select o.call_id
    from thoth.substrate_agent_cost o
    where o.tenant_id = t.tenant_id and o.called_at < thoth.substrate_now() - $1::interval and o.outcome <> 'reserved'
    order by o.called_at
    limit $2
) old
where c.tenant_id = t.tenant_id and c.call_id = old.call_id
