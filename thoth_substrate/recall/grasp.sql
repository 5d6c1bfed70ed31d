-- grasp(tenant text, terms text[], names text[], most_rows bigint) -> Grasp
-- What knowledge has to go by: how rare each term is among its statements, which entities the question names, what hangs together with them. Counts end at the bound.
with named as materialized (
    -- A merged entity stands for the one that goes on; facts of both are one entity's.
    select distinct coalesce(e.merged_into, e.entity_id) as entity_id
    from thoth.substrate_entity_aliases a
    join thoth.substrate_entities e on e.tenant_id = a.tenant_id and e.entity_id = a.entity_id
    where a.tenant_id = $1 and a.norm = any($3::text[])
    limit 16
), family as materialized (
    select entity_id from named
    union
    select e.entity_id from named n join thoth.substrate_entities e on e.tenant_id = $1 and e.merged_into = n.entity_id
), linked as materialized (
    select o.entity_id, max(o.weight) as weight
    from family f cross join lateral (
        (select right_id as entity_id, weight from thoth.substrate_associations where tenant_id = $1 and left_id = f.entity_id limit 400)
        union all
        (select left_id, weight from thoth.substrate_associations where tenant_id = $1 and right_id = f.entity_id limit 400)
    ) o
    where o.entity_id not in (select entity_id from family)
    group by o.entity_id
    order by 2 desc, 1
    limit 8
)
select (select count(*) from (select from thoth.substrate_statements where tenant_id = $1 order by row_id limit $4) s) as statements,
    coalesce((select avg(length) from (select length from thoth.substrate_statements where tenant_id = $1 order by row_id limit 200) l), 1)::float8 as average_length,
    (select coalesce(array_agg(n order by place), '{}') from (
        select q.place, (
            select count(*) from (
                select from thoth.substrate_statement_postings where tenant_id = $1 and term = q.term limit $4
            ) p
        ) as n
        from unnest($2::text[]) with ordinality q(term, place)
    ) counted) as counts,
    (select coalesce(array_agg(entity_id order by entity_id), '{}') from family) as family,
    (select coalesce(array_agg(entity_id order by weight desc, entity_id), '{}') from linked) as linked,
    (select coalesce(array_agg(weight order by weight desc, entity_id), '{}') from linked) as weights
