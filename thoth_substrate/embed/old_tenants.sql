-- old_tenants() -> TenantId
-- A tenant with vectors of a model that is no longer active, none of whose passages waits for a new one.
select s.tenant_id as tenant_id
from thoth.substrate_vector_stats s
where s.model <> (select model from thoth.substrate_embedding_models where active)
    and not exists (select from thoth.substrate_unembedded u where u.tenant_id = s.tenant_id and u.not_before < 'infinity')
limit 1
