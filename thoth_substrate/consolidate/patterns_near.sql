-- patterns_near(tenant text, community_id bigint, row_ids bigint[], kinds text[], limit_rows bigint) -> KnownPattern
-- Living patterns of a community, or resting on any of these rows: what a new saying may be a rewording of.
select p.pattern_id, p.kind, p.statement, coalesce(p.community_id, 0) as community_id,
    coalesce((
        select array_agg(s.support_id order by s.support_id) from thoth.substrate_supports s
        where s.tenant_id = $1 and s.row_id = p.pattern_id
    ), '{}') as supports
from thoth.substrate_patterns p
where p.tenant_id = $1 and p.retracted_at is null and p.kind = any($4::text[])
    and (p.community_id = $2 or exists (
        select from thoth.substrate_supports s
        where s.tenant_id = $1 and s.row_id = p.pattern_id and s.support_id = any($3::bigint[])
    ))
order by p.pattern_id
limit $5
