-- observations_closed(tenant text, row_ids bigint[], reason text) -> ClosedRow
-- What the mind says of itself, dreams or asks above rows that were closed, when nothing under it is held.
update thoth.substrate_observations o set retracted_at = thoth.substrate_now(), retract_reason = $3
where o.tenant_id = $1 and o.retracted_at is null
    and o.observation_id = any (array(
        select s.row_id from thoth.substrate_supports s where s.tenant_id = $1 and s.support_id = any ($2::bigint[])
    ))
    and not exists (
        select from thoth.substrate_supports s
        where s.tenant_id = $1 and s.row_id = o.observation_id and (
            exists (
                select from thoth.substrate_relationships f
                where f.tenant_id = $1 and f.relationship_id = s.support_id and f.retracted_at is null
            ) or exists (
                select from thoth.substrate_patterns q
                where q.tenant_id = $1 and q.pattern_id = s.support_id and q.retracted_at is null
            )
        )
    )
returning o.observation_id as row_id
