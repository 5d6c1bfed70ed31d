-- diary_head(tenant text) -> Head
-- The tenant's newest link, locked until the transaction ends: decisions of one tenant are chained one after another.
insert into thoth.substrate_audit_heads (tenant_id, seq, head)
values ($1, 0, decode(repeat('00', 32), 'hex'))
on conflict (tenant_id) do update set seq = substrate_audit_heads.seq
returning seq
