-- supports_made(tenant text, row_ids bigint[], support_ids bigint[]) -> -
-- What rows of higher layers rest on.
insert into thoth.substrate_supports (tenant_id, row_id, support_id)
select $1, row_id, support_id from unnest($2::bigint[], $3::bigint[]) w(row_id, support_id) order by row_id, support_id
on conflict do nothing
