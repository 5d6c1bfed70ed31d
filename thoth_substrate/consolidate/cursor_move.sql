-- cursor_move(tenant text, agent text, position jsonb) -> -
-- With what the agent concluded, in one transaction.
update thoth.substrate_cursors set position = $3, moved_at = thoth.substrate_now()
where tenant_id = $1 and agent = $2
