-- observations_retracted(tenant text, observation_ids bigint[], reason text) -> -
-- It no longer holds, or is settled.
update thoth.substrate_observations set retracted_at = thoth.substrate_now(), retract_reason = $3
where tenant_id = $1 and observation_id = any($2::bigint[]) and retracted_at is null
