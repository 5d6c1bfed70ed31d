-- crew_indexing() -> Indexing
-- How the Indexer stands, over every tenant that the role sees: who fails now and why, and what was passed over for good. No content: reasons hold none.
select count(*) as tenants, count(*) filter (where c.position ? 'failures') as failing,
    coalesce(max((c.position ->> 'failures')::bigint), 0) as failures,
    coalesce(sum((c.position ->> 'passed_over')::bigint), 0)::bigint as passed_over,
    min((c.position ->> 'due')::timestamptz) filter (where c.position ? 'failures') as again_at,
    max((c.position ->> 'ran_at')::timestamptz) as ran_at,
    (array_agg(c.position ->> 'failure' order by c.moved_at desc) filter (where c.position ? 'failures'))[1] as failure
from thoth.substrate_cursors c where c.agent = 'indexer'
