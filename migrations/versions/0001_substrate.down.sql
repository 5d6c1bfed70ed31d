-- Takes everything away but the version table. The roles stay: they belong to the server, and other databases may use them.
do $$
declare
    item record;
begin
    for item in select relname from pg_class where relnamespace = 'thoth'::regnamespace and relkind in ('r', 'p')
                and relname <> 'substrate_schema_version' loop
        execute format('drop table if exists thoth.%I cascade', item.relname);
    end loop;
    for item in select relname from pg_class where relnamespace = 'thoth'::regnamespace and relkind = 'S' loop
        execute format('drop sequence if exists thoth.%I cascade', item.relname);
    end loop;
    for item in select oid from pg_proc where pronamespace = 'thoth'::regnamespace loop
        if exists (select from pg_proc where oid = item.oid) then  -- one that it was made of may have taken it along
            execute format('drop function %s cascade', item.oid::regprocedure);
        end if;
    end loop;
end $$;
revoke usage on schema thoth from thoth_app, thoth_worker;
