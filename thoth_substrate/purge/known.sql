-- known(tenant text, slice_ids uuid[]) -> KnownSlice
-- Which of these are here, and which are entries of the diary, which are not purged by themselves.
select s.slice_id, s.consolidation_state = 'exempt' as diary
from unnest($2::uuid[]) w(slice_id)
join thoth.substrate_slices s
    on s.tenant_id = $1 and s.slice_id = w.slice_id and s.ingest_time = thoth.substrate_id_time(w.slice_id)
order by s.slice_id
