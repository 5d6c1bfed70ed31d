-- finish(tenant text, purge_id uuid, decision_id uuid) -> -
-- From now on the receipt is true as a whole, and can be verified.
update thoth.substrate_purges
set receipt = receipt || jsonb_build_object('state', 'done', 'done_at', thoth.substrate_now()), decision_id = $3
where tenant_id = $1 and purge_id = $2
