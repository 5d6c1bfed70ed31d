-- floors_gone(tenant text) -> -
-- The floor was calibrated on what was there before: the Curator calibrates it anew.
delete from thoth.substrate_floors where tenant_id = $1
