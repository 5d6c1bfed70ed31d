-- point_lookups() -> -
-- For transactions whose statements fetch few rows by known keys: nested loops only. The planner does not count on pruning at run time and would scan every month instead.
select set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)
