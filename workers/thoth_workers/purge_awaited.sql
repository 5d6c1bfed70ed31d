-- purge_awaited(tenant text) -> -
-- Shared with other agents, until the transaction ends; a purge that closes (thoth_substrate/purge/closing.sql) waits for all of them.
select pg_advisory_xact_lock_shared(hashtextextended('thoth.purge.' || $1::text, 0))
