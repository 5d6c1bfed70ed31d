-- sessions_of(tenant text, slice_ids uuid[]) -> Session
-- The sessions that they are of.
select distinct s.session_id
from unnest($2::uuid[]) w(slice_id)
join thoth.substrate_slices s
    on s.tenant_id = $1 and s.slice_id = w.slice_id and s.ingest_time = thoth.substrate_id_time(w.slice_id)
where s.session_id <> ''
order by 1
