-- budget_lock(scopes text[], units text[], starts timestamptz[]) -> Window
-- Locks the windows, in sorted order: whoever holds these rows decides, and the next one sees what was decided. No join: where
-- a row was changed while it was waited for, PostgreSQL checks it again, and a joined one was passed over then [measured].
select scope, unit, starts_at, reserved, spent
from thoth.substrate_budgets
where scope = any($1::text[]) and unit = any($2::text[]) and starts_at = any($3::timestamptz[])
order by scope, unit, starts_at
for update
