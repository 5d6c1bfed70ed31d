-- all_agents() -> AgentLine
-- A row a worker. A lease that has ended holds nothing, an override that has ended says nothing.
select a.agent,
       thoth.substrate_intensity(a.level, a.override_level, a.override_until) as level,
       case when a.override_until > n.now and a.override_level is not null then a.override_until end as overridden_until,
       case when a.lease_until > n.now then a.lease_holder end as holder,
       case when a.lease_until > n.now then a.lease_until end as lease_until,
       a.alive_since, a.heartbeat_at, a.ticks, a.last_report, a.last_failure, a.last_failure_at
from thoth.substrate_agents a
cross join (select thoth.substrate_now() as now) n
order by a.agent
