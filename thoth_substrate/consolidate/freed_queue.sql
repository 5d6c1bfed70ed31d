-- freed_queue(tenant text, slice_ids uuid[]) -> -
-- Into the queue, in the order of the ids; whoever waits there keeps its claim, and its attempts.
insert into thoth.substrate_unconsolidated (tenant_id, slice_id)
select $1, slice_id from unnest($2::uuid[]) slice_id order by slice_id
on conflict (tenant_id, slice_id) do nothing
