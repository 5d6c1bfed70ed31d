-- log_one_at_a_time(tenant text, store text, path text) -> -
-- One writer of a log at a time, so that what was added together stays together and numbers grow as entries appear.
select pg_advisory_xact_lock(hashtextextended(concat_ws('.', 'thoth.items', $1::text, $2::text, $3::text), 0))
