-- closing(tenant text) -> -
-- Waits for every agent that is writing what it made of what it read before; the next ones find the purge closing, and write nothing.
select pg_advisory_xact_lock(hashtextextended('thoth.purge.' || $1::text, 0))
