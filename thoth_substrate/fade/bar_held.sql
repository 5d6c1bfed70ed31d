-- bar_held(tenant text, slice_ids uuid[]) -> HeldForGood
-- Slices under lock, in the order of their ids: a promotion that holds one is waited for, and what comes later finds them forgotten.
select s.slice_id
from unnest($2::uuid[]) w(slice_id)
join thoth.substrate_slices s
    on s.tenant_id = $1 and s.slice_id = w.slice_id and s.ingest_time = thoth.substrate_id_time(w.slice_id)
where s.consolidation_state <> 'exempt'
order by s.slice_id
for no key update of s
