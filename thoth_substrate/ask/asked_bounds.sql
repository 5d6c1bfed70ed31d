-- asked_bounds(tenant text) -> Bounds
-- The years that a date without one may mean, from both ends of the index of passages by time.
select min(p.event_time) as earliest, max(p.event_time) as latest from thoth.substrate_passages p where p.tenant_id = $1
