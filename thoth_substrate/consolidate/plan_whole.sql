-- plan_whole(nested_loops text) -> -
-- For statements that join all of a tenant's rows with each other ('off', then 'on' again): before they are analysed the planner takes them for a handful, and loops within a loop.
select set_config('enable_nestloop', $1, true)
