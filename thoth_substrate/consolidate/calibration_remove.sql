-- calibration_remove(tenant text, agents text[], models text[], predicates text[], bins smallint[]) -> -
-- Bins that no fact is in any longer.
delete from thoth.substrate_calibration c
using unnest($2::text[], $3::text[], $4::text[], $5::smallint[]) gone(agent, model, predicate, bin)
where c.tenant_id = $1 and c.agent = gone.agent and c.model = gone.model and c.predicate = gone.predicate and c.bin = gone.bin
