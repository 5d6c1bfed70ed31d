-- conductor_remember(agent text, before text, cursor jsonb) -> Remembered
-- Only on top of what was looked at: of two that decide at once the later is told that it is too late.
insert into thoth.substrate_agents as a (agent, cursor) values ($1, $3)
on conflict (agent) do update set cursor = excluded.cursor
where coalesce(a.cursor ->> 'at', '') = $2
returning a.agent
