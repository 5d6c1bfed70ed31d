-- server() -> ServerRow
-- One row of what this server and this connection are.
select current_setting('server_version') as version, current_setting('server_version_num')::integer as version_num,
       current_database()::text as database, session_user::text as user, r.rolsuper as is_superuser,
       pg_encoding_to_char(d.encoding)::text as encoding, pg_is_in_recovery() as in_recovery,
       current_setting('default_transaction_read_only')::boolean as read_only,
       current_setting('fsync')::boolean as fsync, current_setting('full_page_writes')::boolean as full_page_writes,
       current_setting('max_connections')::integer as max_connections,
       (select count(*) from pg_stat_activity a where a.backend_type = 'client backend')::integer as connections,
       pg_database_size(d.oid) as database_bytes, pg_backend_pid() as backend_pid
from pg_database d
join pg_roles r on r.rolname = session_user
where d.datname = current_database()
