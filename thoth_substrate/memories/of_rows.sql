-- of_rows(tenant text, row_ids bigint[], before uuid, rows bigint) -> CitedSlice
-- The slices that an entity or its facts rest on, newest first: citations begin with the row, so that each row is a range.
select distinct c.slice_id
from thoth.substrate_citations c
where c.tenant_id = $1
  and c.row_id = any ($2::bigint[])
  and c.slice_id < $3
order by c.slice_id desc
limit $4
