-- unhurried() -> -
-- For this transaction no bound on a statement's time: a host's pool has one for the sake of its turns, and a purge waits for locks.
select set_config('statement_timeout', '0', true)
