-- supports_of(tenant text, row_id bigint) -> SupportLine
-- The facts and patterns that a sentence of a higher layer rests on.
select p.support_id as row_id, coalesce(r.statement, t.statement, o.statement, '') as statement,
       coalesce(r.retracted_at, t.retracted_at, o.retracted_at) is not null as retracted
from thoth.substrate_supports p
left join thoth.substrate_relationships r on r.tenant_id = p.tenant_id and r.relationship_id = p.support_id
left join thoth.substrate_patterns t on t.tenant_id = p.tenant_id and t.pattern_id = p.support_id
left join thoth.substrate_observations o on o.tenant_id = p.tenant_id and o.observation_id = p.support_id
where p.tenant_id = $1 and p.row_id = $2
order by p.support_id
limit 100
