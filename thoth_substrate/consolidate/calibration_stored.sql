-- calibration_stored(tenant text) -> CalibrationBin
-- Every bin as it is held.
select agent, model, predicate, bin::integer as bin, scored, held, stated_sum, squares
from thoth.substrate_calibration where tenant_id = $1
