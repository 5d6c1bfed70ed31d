-- seeds_staleness(tenant text, except_ids bigint[], limit_rows bigint) -> Seed
-- A fact that is held to be so still, though nothing told of it for longest, and a pattern that rests on it if there is one.
select f.relationship_id as row_id, f.statement, p.pattern_id as other_id, p.statement as other_statement
from thoth.substrate_relationships f
left join lateral (
    select p.pattern_id, p.statement
    from thoth.substrate_supports s
    join thoth.substrate_patterns p on p.tenant_id = $1 and p.pattern_id = s.row_id and p.retracted_at is null
    where s.tenant_id = $1 and s.support_id = f.relationship_id
    order by p.pattern_id limit 1
) p on true
cross join lateral (
    select max(c.event_time) as last from thoth.substrate_citations c where c.tenant_id = $1 and c.row_id = f.relationship_id
) told
where f.tenant_id = $1 and f.retracted_at is null and f.valid_to is null and f.functional and not f.negated
    and f.relationship_id <> all($2::bigint[])
order by coalesce(told.last, f.valid_from), f.relationship_id
limit $3
