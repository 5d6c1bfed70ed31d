-- one_at_a_time(tenant text) -> -
-- Until the transaction ends: two that note the same topic at once would make two concepts of it.
select pg_advisory_xact_lock(hashtextextended('thoth.awareness.' || $1::text, 0))
