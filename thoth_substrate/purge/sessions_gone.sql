-- sessions_gone(tenant text, sessions text[]) -> -
-- Sessions of which nothing is left lose their numbers.
delete from thoth.substrate_sessions x
where x.tenant_id = $1 and x.session_id = any ($2::text[])
    and not exists (select from thoth.substrate_slices s where s.tenant_id = $1 and s.session_id = x.session_id)
    and not exists (select from thoth.substrate_passages p where p.tenant_id = $1 and p.session_no = x.session_no)
