-- barrier(tenant text) -> -
-- Waits for every agent that is writing what it made of what it read before, and lets the next ones see that a purge has begun.
select pg_advisory_xact_lock(hashtextextended('thoth.purge.' || $1::text, 0))
