-- one_at_a_time(tenant text) -> -
-- A tenant's knowledge is written by one transaction at a time: two that meet a new name at once would make it two entities, and no unique key can forbid that, since two people may bear one name.
select pg_advisory_xact_lock(hashtextextended('thoth.knowledge.' || $1::text, 0))
