-- backlog() -> Backlog
-- Every queue at once, of every tenant under the role that sees them all, else of the one: the oldest by their indexes, the counts from narrow tables.
select (select count(*) from thoth.substrate_tenants) as tenants,
       (select count(*) from thoth.substrate_pending) as pending,
       (select min(p.queued_at) from thoth.substrate_pending p) as oldest_pending,
       (select count(*) from thoth.substrate_unindexed) as unindexed,
       (select min(i.queued_at) from thoth.substrate_unindexed i) as oldest_unindexed,
       e.waiting as unembedded, e.oldest as oldest_unembedded, e.failing, e.given_up
from (
    select count(*) filter (where x.not_before < 'infinity') as waiting,
           min(x.queued_at) filter (where x.not_before < 'infinity') as oldest,
           count(*) filter (where x.attempts > 0 and x.not_before < 'infinity') as failing,
           count(*) filter (where x.not_before = 'infinity') as given_up
    from thoth.substrate_unembedded x
) e
