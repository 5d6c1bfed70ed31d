-- facts_of(tenant text, entity_ids bigint[]) -> FactOf
-- Facts that name an entity on either side.
select relationship_id as row_id, retracted_at is null as living from thoth.substrate_relationships
where tenant_id = $1 and subject_id = any ($2::bigint[])
union
select relationship_id, retracted_at is null from thoth.substrate_relationships where tenant_id = $1 and object_id = any ($2::bigint[])
order by 1
