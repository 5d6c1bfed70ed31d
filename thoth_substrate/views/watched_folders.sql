-- watched_folders(tenant text) -> WatchedFolder
-- One look at a tenant's files; a folder is listed also while it has none.
select r.root, r.host, coalesce(f.live, 0)::integer as live, coalesce(f.waiting, 0)::integer as waiting,
    coalesce(f.failed, 0)::integer as failed, coalesce(f.skipped, 0)::integer as skipped, coalesce(f.slices, 0)::integer as slices,
    r.quick_at, r.full_at, r.warning
from thoth.substrate_roots r
left join (
    select host, root, count(*) filter (where state = 'live') as live, count(*) filter (where state in ('queued', 'ingesting')) as waiting,
        count(*) filter (where state = 'failed') as failed, count(*) filter (where state = 'skipped') as skipped,
        sum(cardinality(slice_ids)) as slices
    from thoth.substrate_files where tenant_id = $1 and state <> 'retired'
    group by host, root
) f on f.host = r.host and f.root = r.root
where r.tenant_id = $1
order by r.root, r.host
