-- Sessions with their short numbers.
insert into thoth.substrate_sessions (tenant_id, session_id, last_seq)
select %(tenant)s, session_id, max(seq) from staged group by session_id order by min(n)
