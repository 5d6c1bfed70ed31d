-- calibration_write(tenant text, agents text[], models text[], predicates text[], bins smallint[], scored integer[], held integer[], stated_sums float8[], squares float8[]) -> -
-- Computed anew, never added to.
insert into thoth.substrate_calibration (tenant_id, agent, model, predicate, bin, scored, held, stated_sum, squares)
select $1, w.*
from unnest($2::text[], $3::text[], $4::text[], $5::smallint[], $6::integer[], $7::integer[], $8::double precision[],
    $9::double precision[]) w(agent, model, predicate, bin, scored, held, stated_sum, squares)
on conflict (tenant_id, agent, model, predicate, bin) do update
set scored = excluded.scored, held = excluded.held, stated_sum = excluded.stated_sum, squares = excluded.squares,
    computed_at = thoth.substrate_now()
