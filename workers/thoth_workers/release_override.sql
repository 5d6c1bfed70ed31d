-- release_override(agent text) -> Freed
-- The operator's word is taken back: the Conductor's level holds again.
update thoth.substrate_agents a set override_level = null, override_until = null
where a.agent = $1
returning a.agent, a.level
