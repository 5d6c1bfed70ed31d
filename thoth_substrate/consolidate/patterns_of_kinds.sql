-- patterns_of_kinds(tenant text, kinds text[], limit_rows bigint) -> KnownPattern
-- Living patterns of these kinds, newest first.
select p.pattern_id, p.kind, p.statement, coalesce(p.community_id, 0) as community_id,
    coalesce((
        select array_agg(s.support_id order by s.support_id) from thoth.substrate_supports s
        where s.tenant_id = $1 and s.row_id = p.pattern_id
    ), '{}') as supports
from thoth.substrate_patterns p
where p.tenant_id = $1 and p.retracted_at is null and p.kind = any($2::text[])
order by p.pattern_id desc
limit $3
