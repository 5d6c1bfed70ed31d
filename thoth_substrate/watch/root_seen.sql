-- root_seen(tenant text, host text, root text, complete boolean, warning text) -> -
-- That a folder was looked through, how thoroughly, and what is wrong with it.
insert into thoth.substrate_roots as r (tenant_id, host, root, quick_at, full_at, warning)
values ($1, $2, $3, thoth.substrate_now(), case when $4 then thoth.substrate_now() end, $5)
on conflict (tenant_id, host, root) do update
set quick_at = excluded.quick_at, full_at = coalesce(excluded.full_at, r.full_at), warning = excluded.warning
