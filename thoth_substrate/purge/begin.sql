-- begin(tenant text, purge_id uuid, slice_ids uuid[], receipt jsonb) -> -
-- Written before anything goes, so that a purge that is killed is found and finished.
insert into thoth.substrate_purges (tenant_id, purge_id, slice_ids, receipt) values ($1, $2, $3::uuid[], $4)
