-- cursor_make(tenant text, agent text) -> -
-- An agent's first reading of this tenant begins at nothing.
insert into thoth.substrate_cursors (tenant_id, agent) values ($1, $2)
on conflict do nothing
