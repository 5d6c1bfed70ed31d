-- outcomes_withdraw(tenant text, row_ids bigint[], outcomes text[], by_ids bigint[]) -> -
-- A conflict that was settled: the facts no longer exclude one another.
delete from thoth.substrate_outcomes o
using unnest($2::bigint[], $3::text[], $4::bigint[]) n(row_id, outcome, by_id)
where o.tenant_id = $1 and o.row_id = n.row_id and o.outcome = n.outcome and o.by_id = n.by_id
