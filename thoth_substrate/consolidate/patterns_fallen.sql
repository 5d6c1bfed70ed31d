-- patterns_fallen(tenant text) -> Fallen
-- Patterns that rest on fewer than two living rows.
select p.pattern_id
from thoth.substrate_patterns p
where p.tenant_id = $1 and p.retracted_at is null and (
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
order by p.pattern_id
