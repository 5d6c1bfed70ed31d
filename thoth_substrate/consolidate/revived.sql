-- revived(tenant text, agent text, queue boolean) -> Revived
-- Dead letters are tried anew from the beginning, those that can still be promoted; the others are laid to rest.
with gone as (
    delete from thoth.substrate_dead_letters where tenant_id = $1 and agent = $2 returning slice_id
), living as (
    select g.slice_id
    from gone g
    join thoth.substrate_slices s
        on s.tenant_id = $1 and s.slice_id = g.slice_id and s.ingest_time = thoth.substrate_id_time(g.slice_id)
    where s.triage_state = 'passed' and not s.forgotten and s.consolidation_state in ('unconsolidated', 'partial')
), queued as (
    insert into thoth.substrate_unconsolidated (tenant_id, slice_id)
    select $1, slice_id from living where $3::boolean order by slice_id
    on conflict (tenant_id, slice_id) do nothing
)
select count(*) as revived from living
