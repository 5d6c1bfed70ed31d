-- insights_since(tenant text, since timestamptz, until timestamptz, limit_rows bigint) -> Insight
-- What came to hold across facts in a span of the mind's time, and still does, with the memories that it rests on.
select p.pattern_id as row_id, p.kind, p.statement, p.confidence::float8 as confidence, p.asserted_at, array(
        with recursive rests as (
            select s.support_id from thoth.substrate_supports s where s.tenant_id = $1 and s.row_id = p.pattern_id
            union
            select s.support_id from rests r join thoth.substrate_supports s on s.tenant_id = $1 and s.row_id = r.support_id
        )
        select distinct c.slice_id
        from rests r
        join thoth.substrate_citations c on c.tenant_id = $1 and c.row_id = r.support_id and c.withdrawn_at is null
        order by c.slice_id limit 16
    ) as memories
from thoth.substrate_patterns p
where p.tenant_id = $1 and p.asserted_at >= $2 and p.asserted_at <= $3 and p.retracted_at is null
order by p.asserted_at, p.pattern_id
limit $4
