-- known_tenants() -> KnownTenant
-- Whoever has perceived anything.
select tenant_id from thoth.substrate_tenants order by tenant_id
