-- key_taken(tenant text, key text, request bytea) -> Taken
-- Whoever comes with the key while it is being used waits here for the first to commit, and then finds what it made.
insert into thoth.substrate_idempotency_keys (tenant_id, key, request) values ($1, $2, $3)
on conflict (tenant_id, key) do nothing
returning true as taken
