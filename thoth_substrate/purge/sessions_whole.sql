-- sessions_whole(tenant text, slice_ids uuid[]) -> Whole
-- Sessions of which nothing is left but these: whatever was asked in them goes as well.
with sessions as materialized (
    select distinct s.session_id
    from unnest($2::uuid[]) w(slice_id)
    join thoth.substrate_slices s
        on s.tenant_id = $1 and s.slice_id = w.slice_id and s.ingest_time = thoth.substrate_id_time(w.slice_id)
    where s.session_id <> ''
)
select session_id from sessions x
where not exists (
    select from thoth.substrate_slices s
    where s.tenant_id = $1 and s.session_id = x.session_id and s.slice_id <> all ($2::uuid[]) and s.consolidation_state <> 'exempt'
)
order by session_id
