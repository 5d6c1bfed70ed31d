-- budget_lock(scopes text[], units text[], starts timestamptz[]) -> Window
-- Locks the windows, in sorted order: whoever holds these rows decides, and the next one sees what was decided.
select b.scope, b.unit, b.starts_at, b.reserved, b.spent
from thoth.substrate_budgets b
join unnest($1::text[], $2::text[], $3::timestamptz[]) as w (scope, unit, starts_at)
    on b.scope = w.scope and b.unit = w.unit and b.starts_at = w.starts_at
order by b.scope, b.unit, b.starts_at
for update of b
