-- budget_move(scopes text[], units text[], starts timestamptz[], reserved float8[], spent float8[]) -> -
-- Adds to what is set aside and to what is spent (amounts may be negative). The rows were locked by the statement before.
update thoth.substrate_budgets b
set reserved = greatest(b.reserved + w.reserved, 0), spent = b.spent + w.spent
from unnest($1::text[], $2::text[], $3::timestamptz[], $4::double precision[], $5::double precision[])
    as w (scope, unit, starts_at, reserved, spent)
where b.scope = w.scope and b.unit = w.unit and b.starts_at = w.starts_at
