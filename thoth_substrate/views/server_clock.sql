-- server_clock() -> ServerClock
-- The same clock that ids and anchors are compared with; a host that is off by minutes makes memories of the future.
select thoth.substrate_now() as at
