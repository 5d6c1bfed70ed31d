-- entities_named(tenant text, norms text[]) -> NamedEntity
-- Who goes by a name: merged ones answer as the one that stands for them, with all the names of the group.
with hits as (
    select distinct coalesce(e.merged_into, e.entity_id) as entity_id, a.norm, a.norm = e.norm as own
    from thoth.substrate_entity_aliases a
    join thoth.substrate_entities e on e.tenant_id = $1 and e.entity_id = a.entity_id
    where a.tenant_id = $1 and a.norm = any($2::text[]) and e.retracted_at is null
)
select h.entity_id, h.norm, bool_or(h.own) as own, e.kind, e.name, e.summary, n.norms
from hits h
join thoth.substrate_entities e on e.tenant_id = $1 and e.entity_id = h.entity_id
cross join lateral (
    select coalesce(array_agg(distinct a.norm), '{}') as norms
    from (
        select h.entity_id as member
        union all
        select m.entity_id from thoth.substrate_entities m where m.tenant_id = $1 and m.merged_into = h.entity_id
    ) g
    join thoth.substrate_entity_aliases a on a.tenant_id = $1 and a.entity_id = g.member
) n
where e.retracted_at is null
group by h.entity_id, h.norm, e.kind, e.name, e.summary, n.norms
order by h.entity_id, h.norm
