-- association_queue(tenant text, entity_ids bigint[]) -> -
-- Entities that share a neighbour otherwise than before, though no fact of their own changed. Sorted, since promotions queue too.
insert into thoth.substrate_unassociated (tenant_id, entity_id)
select $1, entity_id from unnest($2::bigint[]) entity_id order by entity_id
on conflict (tenant_id, entity_id) do nothing
