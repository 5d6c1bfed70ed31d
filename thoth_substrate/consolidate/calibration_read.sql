-- calibration_read(tenant text, agent text, model text) -> CalibrationRow
-- The bins by which one agent's and model's new confidences are judged.
select predicate, bin::integer as bin, scored, held, stated_sum, squares
from thoth.substrate_calibration
where tenant_id = $1 and agent = $2 and model = $3
order by predicate, bin
