-- one_at_a_time(tenant text) -> -
-- A tenant's terms and sessions are counted by one transaction at a time. A statement that locks rows and updates them was seen to pass over those that another had changed since its snapshot.
select pg_advisory_xact_lock(hashtextextended('thoth.terms.' || $1::text, 0))
