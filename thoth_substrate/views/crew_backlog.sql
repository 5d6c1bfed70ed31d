-- crew_backlog() -> Waiting
-- What waits for consolidation, of every tenant or of the one that the role sees, in one pass over the narrow queue; and what the crew has given up. The time is asked once, not for each row.
select count(*) as slices, min(q.queued_at) as oldest, count(*) filter (where q.attempts > 0) as tried,
       count(*) filter (where q.queued_at > (select thoth.substrate_now()) - interval '1 day') as last_day,
       (select coalesce(jsonb_object_agg(d.agent, d.slices), '{}')
        from (select l.agent, count(*) as slices from thoth.substrate_dead_letters l group by l.agent) d) as dead_letters
from thoth.substrate_unconsolidated q
