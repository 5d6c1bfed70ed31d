-- observations_settled(tenant text) -> ObservationId
-- Questions and tests about rows of which none is held any longer.
select o.observation_id
from thoth.substrate_observations o
where o.tenant_id = $1 and o.kind in ('question', 'test') and o.retracted_at is null
    and not exists (
        select from thoth.substrate_supports s
        where s.tenant_id = $1 and s.row_id = o.observation_id and (
            exists (
                select from thoth.substrate_relationships f
                where f.tenant_id = $1 and f.relationship_id = s.support_id and f.retracted_at is null
            ) or exists (
                select from thoth.substrate_patterns p
                where p.tenant_id = $1 and p.pattern_id = s.support_id and p.retracted_at is null
            )
        )
    )
order by o.observation_id
