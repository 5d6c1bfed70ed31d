-- association_remove(tenant text, lefts bigint[], rights bigint[]) -> -
-- Pairs that no fact holds together any longer.
delete from thoth.substrate_associations a
using unnest($2::bigint[], $3::bigint[]) gone(left_id, right_id)
where a.tenant_id = $1 and a.left_id = gone.left_id and a.right_id = gone.right_id
