-- observations_after(tenant text, after_id bigint, since timestamptz, limit_rows bigint) -> Noted
-- What the mind noted of itself since then, page by page.
select observation_id as row_id, statement, detail, retract_reason from thoth.substrate_observations
where tenant_id = $1 and observation_id > $2 and observed_at >= $3 order by observation_id limit $4
