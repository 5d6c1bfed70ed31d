-- index_waiting(limit_tenants int) -> WaitingTenant
-- Whose slices wait to be indexed: the tenant of the oldest one, then round by name, so that no burst of one starves another.
with recursive oldest as materialized (
    select tenant_id from thoth.substrate_unindexed order by queued_at limit 1
), walk (tenant_id, first, n) as (
    select tenant_id, tenant_id, 1 from oldest
    union all
    select following.tenant_id, walk.first, walk.n + 1
    from walk
    cross join lateral (
        select coalesce(
            (select u.tenant_id from thoth.substrate_unindexed u where u.tenant_id > walk.tenant_id order by u.tenant_id limit 1),
            (select u.tenant_id from thoth.substrate_unindexed u order by u.tenant_id limit 1)
        ) as tenant_id
    ) following
    where walk.n < $1 and following.tenant_id <> walk.first
)
select tenant_id from walk
