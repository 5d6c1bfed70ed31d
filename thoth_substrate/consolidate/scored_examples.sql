-- scored_examples(tenant text, agents text[], models text[], predicates text[], limit_rows bigint) -> Example
-- For what is said of a calibration: some of the facts that it is about, newest first.
select g.agent, g.model, g.predicate, f.relationship_id as row_id
from unnest($2::text[], $3::text[], $4::text[]) g(agent, model, predicate)
cross join lateral (
    select f.relationship_id
    from thoth.substrate_relationships f
    where f.tenant_id = $1 and f.agent = g.agent and f.model = g.model and (g.predicate = '*' or f.predicate = g.predicate)
        and exists (select from thoth.substrate_outcomes o where o.tenant_id = $1 and o.row_id = f.relationship_id)
    order by f.relationship_id desc
    limit $5
) f
