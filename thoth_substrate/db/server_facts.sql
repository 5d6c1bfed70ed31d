-- server_facts() -> ServerFacts
-- All that decides whether this server and this user can carry Thoth, in one look, before anything is changed.
select current_user::text as username,
       current_database()::text as database,
       pg_is_in_recovery() as in_recovery,
       current_setting('transaction_read_only') = 'on' as read_only,
       to_regclass('thoth.substrate_schema_version') is not null as migrated,
       coalesce((select json_object_agg(extname, extnamespace::regnamespace) from pg_extension), '{}') as installed,
       coalesce((select json_agg(name) from pg_available_extensions), '[]') as available,
       coalesce((select json_agg(rolname) from pg_roles where rolname in ('thoth_app', 'thoth_worker')
                 and pg_has_role(current_user, oid, 'SET')), '[]') as may_become
