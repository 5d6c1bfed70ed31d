-- unsaid_settled(tenant text, store text, numbers bigint[]) -> -
-- Their slices are forgotten, or are to stay.
delete from thoth.substrate_items_unsaid u where u.tenant_id = $1 and u.store = $2 and u.number = any ($3::bigint[])
