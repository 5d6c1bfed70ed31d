-- roles() -> RoleRow
-- Each transaction takes one of these, so that policies bind even an owner; a role that bypasses them would bind nobody.
select needed.role, r.oid is not null as exists,
       coalesce(pg_has_role(session_user, r.oid, 'SET'), false) as may_take,
       coalesce(r.rolsuper or r.rolbypassrls, false) as bypasses
from unnest(array['thoth_app', 'thoth_worker']) with ordinality needed(role, place)
left join pg_roles r on r.rolname = needed.role
order by needed.place
