-- association_tenants() -> Waiting
-- Whoever has entities whose facts changed, or communities that are older than the associations they rest on.
select tenant_id from thoth.substrate_unassociated
union
select tenant_id from thoth.substrate_cursors where agent = 'associator' and (position ->> 'stale')::boolean
order by tenant_id
