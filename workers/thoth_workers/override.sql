-- override(agent text, level text, ends_at timestamptz) -> Held
-- The operator's word, for a while or until it is taken back (null). One who has never run is told all the same, for when it does.
insert into thoth.substrate_agents as a (agent, override_level, override_until) values ($1, $2, coalesce($3::timestamptz, 'infinity'))
on conflict (agent) do update set override_level = excluded.override_level, override_until = excluded.override_until
returning a.agent, a.override_level as level, a.override_until as until
