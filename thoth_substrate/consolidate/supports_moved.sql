-- supports_moved(tenant text, row_ids bigint[], from_ids bigint[]) -> -
-- What rested on the old form rests on the new one.
with gone as (
    delete from thoth.substrate_supports s
    using unnest($2::bigint[], $3::bigint[]) w(row_id, from_id)
    where s.tenant_id = $1 and s.support_id = w.from_id
    returning s.row_id, w.row_id as support_id
)
insert into thoth.substrate_supports (tenant_id, row_id, support_id)
select distinct $1, row_id, support_id from gone
on conflict (tenant_id, row_id, support_id) do nothing
