-- floors(tenant text) -> FloorLine
-- A row a model.
select f.model, f.calibrated_at, f.passages, f.floor
from thoth.substrate_floors f
where f.tenant_id = $1
order by f.model
