-- asked_named(tenant text, norm text) -> Named
-- Who goes by a name, with all that were merged into them: their quotes tell in which slices they are named by other names.
select distinct m.entity_id
from thoth.substrate_entity_aliases a
join thoth.substrate_entities e on e.tenant_id = $1 and e.entity_id = a.entity_id
join thoth.substrate_entities m on m.tenant_id = $1
    and coalesce(m.merged_into, m.entity_id) = coalesce(e.merged_into, e.entity_id)
where a.tenant_id = $1 and a.norm = $2
order by m.entity_id
