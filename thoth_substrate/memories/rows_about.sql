-- rows_about(tenant text, norm text, entity_id bigint, limit_rows bigint) -> RowId
-- An entity by a name or its number, with those merged into it, and the facts that it is in: rows whose citations tell of it.
with named as materialized (
    select a.entity_id from thoth.substrate_entity_aliases a where a.tenant_id = $1 and a.norm = $2
    union
    select e.entity_id from thoth.substrate_entities e where e.tenant_id = $1 and e.norm = $2
    union
    select e.entity_id from thoth.substrate_entities e where e.tenant_id = $1 and e.entity_id = $3
), kept as materialized (
    select coalesce(e.merged_into, e.entity_id) as entity_id
    from named n join thoth.substrate_entities e on e.tenant_id = $1 and e.entity_id = n.entity_id
), beings as materialized (
    select entity_id from kept
    union
    select e.entity_id from kept k join thoth.substrate_entities e on e.tenant_id = $1 and e.merged_into = k.entity_id
)
select row_id from (
    select entity_id as row_id from beings
    union
    select r.relationship_id from beings b join thoth.substrate_relationships r on r.tenant_id = $1 and r.subject_id = b.entity_id
    union
    select r.relationship_id from beings b join thoth.substrate_relationships r on r.tenant_id = $1 and r.object_id = b.entity_id
) found
order by row_id desc
limit $4
