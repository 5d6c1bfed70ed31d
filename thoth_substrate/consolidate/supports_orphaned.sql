-- supports_orphaned(tenant text) -> -
-- Supports of observations and patterns that are gone.
delete from thoth.substrate_supports s
where s.tenant_id = $1
    and not exists (select from thoth.substrate_observations o where o.tenant_id = $1 and o.observation_id = s.row_id)
    and not exists (select from thoth.substrate_patterns p where p.tenant_id = $1 and p.pattern_id = s.row_id)
