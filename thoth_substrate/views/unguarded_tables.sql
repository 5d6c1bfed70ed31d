-- unguarded_tables() -> UnguardedRow
-- Every table with a tenant must have row-level security, forced, and a policy. Partitions are reached through their parents.
select c.relname::text as table, c.relrowsecurity as enabled, c.relforcerowsecurity as forced,
       (select count(*) from pg_policy p where p.polrelid = c.oid)::integer as policies
from pg_class c
join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'thoth'
join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
where c.relkind in ('r', 'p')
  and not c.relispartition
  and (not c.relrowsecurity or not c.relforcerowsecurity or not exists (select from pg_policy p where p.polrelid = c.oid))
order by c.relname
