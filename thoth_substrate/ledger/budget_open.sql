-- budget_open(scopes text[], units text[], starts timestamptz[]) -> -
-- The first call of a window makes its rows; in sorted order, since two may do so at once.
insert into thoth.substrate_budgets (scope, unit, starts_at)
select w.scope, w.unit, w.starts_at
from unnest($1::text[], $2::text[], $3::timestamptz[]) as w (scope, unit, starts_at)
order by w.scope, w.unit, w.starts_at
on conflict do nothing
