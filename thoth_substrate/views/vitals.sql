-- vitals(since timestamptz) -> Measured
-- What the Conductor weighs, of every tenant at once and without content: counts of narrow queues, the rest by index.
select n.now as at, u.backlog, u.untried_since, u.arrived,
       (select count(*) from thoth.substrate_pending) as pending,
       (select count(*) from thoth.substrate_unembedded x where x.not_before < 'infinity') as unembedded,
       (select count(*) from thoth.substrate_dead_letters) as dead_letters,
       (select count(*) from thoth.substrate_endpoints e
        where e.state <> 'closed' and e.endpoint not like '%/embeddings'
          and greatest(e.retry_at, e.last_failure_at) > n.now - interval '30 minutes') as endpoints_down,
       c.coherence, r.recalls, r.recall_p95_ms, r.recall_share
from (select thoth.substrate_now() as now) n
cross join (
    select count(*) as backlog, min(q.queued_at) filter (where q.attempts = 0) as untried_since,
           count(*) filter (where q.queued_at > $1) as arrived
    from thoth.substrate_unconsolidated q
) u
cross join (
    -- of the tenants' newest scores the one that a tenth lie below: of a few tenants the worst, of many not one alone
    select percentile_disc(0.1) within group (order by o.score) as coherence
    from thoth.substrate_tenants t
    cross join lateral (
        select m.score from thoth.substrate_observations m
        where m.tenant_id = t.tenant_id and m.kind = 'coherence'
        order by m.observed_at desc
        limit 1
    ) o
) c
cross join (
    select count(*) as recalls,
           percentile_cont(0.95) within group (order by l.took_ms::double precision) as recall_p95_ms,
           percentile_cont(0.95) within group (order by l.took_ms::double precision / l.deadline_ms) as recall_share
    from thoth.substrate_tenants t
    cross join lateral (
        select k.took_ms, k.deadline_ms from thoth.substrate_recall_log k
        where k.tenant_id = t.tenant_id
          and k.asked_at > thoth.substrate_now() - interval '10 minutes'
          and k.empty_reason is distinct from 'disabled'
    ) l
) r
