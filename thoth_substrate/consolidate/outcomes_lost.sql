-- outcomes_lost(tenant text) -> -
-- Outcomes of facts that are gone.
delete from thoth.substrate_outcomes o
where o.tenant_id = $1
    and not exists (select from thoth.substrate_relationships f where f.tenant_id = $1 and f.relationship_id = o.row_id)
