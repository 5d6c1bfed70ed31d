-- asked_insights(tenant text, at timestamptz, limit_rows bigint) -> Insight
-- All that holds across facts, and what the mind says of itself, with the memories that each rests on: the surest first.
select l.row_id, l.kind, l.statement, l.confidence, l.at, array(
        with recursive rests as (
            select s.support_id from thoth.substrate_supports s where s.tenant_id = $1 and s.row_id = l.row_id
            union
            select s.support_id from rests r join thoth.substrate_supports s on s.tenant_id = $1 and s.row_id = r.support_id
        )
        select distinct c.slice_id
        from rests r
        join thoth.substrate_citations c on c.tenant_id = $1 and c.row_id = r.support_id and c.withdrawn_at is null
        order by c.slice_id limit 16
    ) as slice_ids
from (
    select p.pattern_id as row_id, p.kind, p.statement, p.confidence::float8 as confidence, p.valid_to as at
    from thoth.substrate_patterns p
    where p.tenant_id = $1 and p.asserted_at <= $2 and (p.retracted_at is null or p.retracted_at > $2)
    union all
    select o.observation_id, o.kind, o.statement, coalesce(o.score, 1)::float8, o.observed_at
    from thoth.substrate_observations o
    where o.tenant_id = $1 and o.kind = 'self' and o.observed_at <= $2 and (o.retracted_at is null or o.retracted_at > $2)
) l
order by l.confidence desc, l.row_id desc
limit $3
