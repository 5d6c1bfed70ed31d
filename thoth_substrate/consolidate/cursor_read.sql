-- cursor_read(tenant text, agent text) -> Cursor
-- How far an agent has read.
select position from thoth.substrate_cursors where tenant_id = $1 and agent = $2
