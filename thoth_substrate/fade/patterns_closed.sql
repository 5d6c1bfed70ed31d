-- patterns_closed(tenant text, row_ids bigint[], reason text) -> ClosedRow
-- Patterns above rows that were closed, of whose supports fewer than two are held.
update thoth.substrate_patterns p set retracted_at = thoth.substrate_now(), retract_reason = $3
where p.tenant_id = $1 and p.retracted_at is null
    and p.pattern_id = any (array(
        select s.row_id from thoth.substrate_supports s where s.tenant_id = $1 and s.support_id = any ($2::bigint[])
    ))
    and (
        select count(*) from thoth.substrate_supports s
        where s.tenant_id = $1 and s.row_id = p.pattern_id and (
            exists (
                select from thoth.substrate_relationships f
                where f.tenant_id = $1 and f.relationship_id = s.support_id and f.retracted_at is null
            ) or exists (
                select from thoth.substrate_patterns q
                where q.tenant_id = $1 and q.pattern_id = s.support_id and q.retracted_at is null
            )
        )
    ) < 2
returning p.pattern_id as row_id
