-- conductor_rows() -> Row
-- Every worker that has a row, and the operator's word while it holds.
select a.agent, a.level, case when a.override_until > thoth.substrate_now() then a.override_level end as override_level, a.cursor
from thoth.substrate_agents a
