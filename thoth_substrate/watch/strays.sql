-- strays(tenant text, host text, root text) -> Stray
-- Slices of a folder's files that belong neither to a live version nor to one under way: an attempt was overtaken, or a journal came late. Few are left to be looked up by key.
with unowned as materialized (
    select x.slice_id
    from thoth.substrate_files f
    join thoth.substrate_external_ids x on x.tenant_id = $1 and x.source = 'file:' || f.file_id
    where f.tenant_id = $1 and f.host = $2 and f.root = $3 and x.slice_id <> all (f.slice_ids)
        and (f.state in ('live', 'skipped', 'retired') or split_part(x.external_id, '.', 1) <> f.version::text)
)
select u.slice_id
from unowned u
join thoth.substrate_slices s
    on s.tenant_id = $1 and s.slice_id = u.slice_id and s.ingest_time = thoth.substrate_id_time(u.slice_id)
where not s.forgotten and s.consolidation_state <> 'released'
order by u.slice_id
