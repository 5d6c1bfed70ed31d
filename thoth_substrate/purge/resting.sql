-- resting(tenant text, row_ids bigint[]) -> Resting
-- Everything of the higher layers that rests on these rows, however far up.
with recursive up (row_id) as (
    select s.row_id from thoth.substrate_supports s where s.tenant_id = $1 and s.support_id = any ($2::bigint[])
    union
    select s.row_id from up join thoth.substrate_supports s on s.tenant_id = $1 and s.support_id = up.row_id
)
select row_id from up order by row_id
