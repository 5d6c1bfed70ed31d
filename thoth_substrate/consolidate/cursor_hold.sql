-- cursor_hold(tenant text, agent text) -> Cursor
-- Held until the end of the transaction: what one run of an agent concludes, another does not conclude beside it.
select position from thoth.substrate_cursors where tenant_id = $1 and agent = $2 for update
