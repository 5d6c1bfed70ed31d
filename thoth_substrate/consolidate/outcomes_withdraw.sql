-- outcomes_withdraw(tenant text, row_ids bigint[], outcomes text[], by_ids bigint[]) -> -
-- What the facts no longer bear out: a conflict that was settled, a fact that was purged.
delete from thoth.substrate_outcomes o
using unnest($2::bigint[], $3::text[], $4::bigint[]) n(row_id, outcome, by_id)
where o.tenant_id = $1 and o.row_id = n.row_id and o.outcome = n.outcome and o.by_id = n.by_id
