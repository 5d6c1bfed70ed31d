-- retirable(tenant text, slice_ids uuid[]) -> Retirable
-- Slices under lock, in the order of their ids, that are neither of the diary, nor forgotten, nor released.
select s.slice_id
from unnest($2::uuid[]) w(slice_id)
join thoth.substrate_slices s
    on s.tenant_id = $1 and s.slice_id = w.slice_id and s.ingest_time = thoth.substrate_id_time(w.slice_id)
where s.consolidation_state not in ('exempt', 'released') and not s.forgotten
order by s.slice_id
for no key update of s
