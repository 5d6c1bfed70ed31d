-- call_reserved(tenant text, call uuid, called timestamptz, agent text, kind text, endpoint text, model text, tokens integer, usd float8, decision uuid) -> -
-- The row of a call before it is made: a process that dies in it leaves this behind.
insert into thoth.substrate_agent_cost
    (tenant_id, call_id, called_at, agent, kind, endpoint, model, reserved_tokens, reserved_usd, decision_id)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
