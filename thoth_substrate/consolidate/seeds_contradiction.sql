-- seeds_contradiction(tenant text, except_ids bigint[], limit_rows bigint) -> Seed
-- Two living facts that exclude one another, the newest that were not dreamt of yet.
select f.relationship_id as row_id, f.statement, b.relationship_id as other_id, b.statement as other_statement
from thoth.substrate_outcomes o
join thoth.substrate_relationships f on f.tenant_id = $1 and f.relationship_id = o.row_id and f.retracted_at is null
join thoth.substrate_relationships b on b.tenant_id = $1 and b.relationship_id = o.by_id and b.retracted_at is null
where o.tenant_id = $1 and o.outcome = 'contradicted' and b.relationship_id <> all($2::bigint[])
order by o.noted_at desc, f.relationship_id desc
limit $3
