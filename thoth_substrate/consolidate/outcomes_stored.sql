-- outcomes_stored(tenant text) -> StoredOutcome
-- What is noted already.
select row_id, outcome, by_id from thoth.substrate_outcomes where tenant_id = $1
