-- migration_lock() -> -
-- One migrator a database at a time. It belongs to a transaction, so that a transaction pooler cannot misplace it.
select pg_advisory_xact_lock(475258)
