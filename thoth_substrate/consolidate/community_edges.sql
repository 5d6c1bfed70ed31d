-- community_edges(tenant text, strongest bigint) -> Edge
-- Each entity's strongest associations: what a community hangs by, and a bound on how many there are.
with sides as (
    select left_id as entity_id, left_id, right_id, weight from thoth.substrate_associations where tenant_id = $1
    union all
    select right_id, left_id, right_id, weight from thoth.substrate_associations where tenant_id = $1
), ranked as (
    select left_id, right_id, weight,
        row_number() over (partition by entity_id order by weight desc, left_id, right_id) as rank
    from sides
)
select distinct left_id, right_id, weight from ranked where rank <= $2 order by left_id, right_id
