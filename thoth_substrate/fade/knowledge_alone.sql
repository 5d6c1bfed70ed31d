-- knowledge_alone(tenant text) -> -
-- The lock of all who write a tenant's knowledge, taken before any other: facts are closed by one transaction at a time.
select pg_advisory_xact_lock(hashtextextended('thoth.knowledge.' || $1::text, 0))
