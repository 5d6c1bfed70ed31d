-- index_finish(tenant text, slice_ids uuid[], passages bigint, total_length bigint) -> -
-- Last of the batch: the row that every batch of the tenant meets is locked for the shortest time.
with done as (
    delete from thoth.substrate_unindexed where tenant_id = $1 and slice_id = any($2::uuid[])
)
insert into thoth.substrate_text_stats (tenant_id, passages, total_length)
select $1, $3::bigint, $4::bigint where $3::bigint > 0
on conflict (tenant_id) do update
set passages = substrate_text_stats.passages + excluded.passages, total_length = substrate_text_stats.total_length + excluded.total_length
