-- patterns_dated(tenant text, row_ids bigint[]) -> -
-- A pattern that stays lasts from its oldest support that is left to its newest.
update thoth.substrate_patterns p set valid_from = d.first_at, valid_to = d.last_at
from (
    select s.row_id, min(r.valid_from) as first_at, max(r.valid_from) as last_at
    from thoth.substrate_supports s
    join thoth.substrate_relationships r on r.tenant_id = $1 and r.relationship_id = s.support_id
    where s.tenant_id = $1 and s.row_id = any ($2::bigint[])
    group by s.row_id
) d
where p.tenant_id = $1 and p.pattern_id = d.row_id and (p.valid_from <> d.first_at or p.valid_to <> d.last_at)
