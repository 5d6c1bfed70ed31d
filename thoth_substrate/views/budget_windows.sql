-- budget_windows() -> Spending
-- What each budget's present window has used: hours and days begin by the clock, UTC.
select b.scope, b.unit, b.spent, b.reserved
from thoth.substrate_budgets b
where b.starts_at = date_trunc(case b.unit when 'tokens_hour' then 'hour' else 'day' end, thoth.substrate_now(), 'UTC')
