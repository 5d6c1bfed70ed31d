-- conductor_levels(agents text[], levels text[]) -> Written
-- One level for each, in the order of their names so that two who do this at once cannot block each other. What the operator holds is his.
insert into thoth.substrate_agents as a (agent, level)
select n.agent, n.level from unnest($1::text[], $2::text[]) n(agent, level) order by n.agent
on conflict (agent) do update set level = excluded.level
where a.level <> excluded.level and not (a.override_level is not null and a.override_until > thoth.substrate_now())
returning a.agent, a.level
