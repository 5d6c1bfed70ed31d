-- fading_pressure(tenant text) -> Pressure
-- The closed form of the future, fades_at, makes this a count and not a simulation.
select a.profile, count(*) as slices,
       count(*) filter (where a.pinned) as pinned,
       count(*) filter (where not a.pinned and a.releasable and a.fades_at <= n.now) as due,
       count(*) filter (where not a.pinned and a.releasable
                        and a.fades_at > n.now and a.fades_at <= n.now + interval '1 day') as within_1_day,
       count(*) filter (where not a.pinned and a.releasable
                        and a.fades_at > n.now and a.fades_at <= n.now + interval '7 days') as within_7_days,
       count(*) filter (where not a.pinned and a.releasable
                        and a.fades_at > n.now and a.fades_at <= n.now + interval '30 days') as within_30_days,
       count(*) filter (where not a.pinned and not a.releasable and a.fades_at <= n.now) as kept,
       count(*) filter (where not a.pinned and not a.releasable
                        and a.fades_at > n.now and a.fades_at <= n.now + interval '30 days') as kept_within_30_days
from thoth.substrate_salience a
cross join (select thoth.substrate_now() as now) n
where a.tenant_id = $1
group by a.profile
order by a.profile
