-- store_floor(tenant text, model text, floor jsonb) -> -
-- The newest calibration of a tenant replaces the one before it.
insert into thoth.substrate_floors (tenant_id, model, calibrated_at, passages, floor)
select $1, $2, thoth.substrate_now(), passages, $3 from thoth.substrate_text_stats where tenant_id = $1
on conflict (tenant_id, model) do update set calibrated_at = excluded.calibrated_at, passages = excluded.passages, floor = excluded.floor
