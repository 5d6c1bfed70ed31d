-- entities_by_name(tenant text, norm text) -> NamedGroup
-- Who goes by a name, each with all that were merged into it.
select distinct coalesce(e.merged_into, e.entity_id) as entity_id, array(
        select m.entity_id from thoth.substrate_entities m
        where m.tenant_id = $1 and m.merged_into = coalesce(e.merged_into, e.entity_id) order by m.entity_id
    ) as merged
from thoth.substrate_entity_aliases a
join thoth.substrate_entities e on e.tenant_id = $1 and e.entity_id = a.entity_id
where a.tenant_id = $1 and a.norm = $2 and e.retracted_at is null
order by entity_id
