-- names_gone(tenant text, slice_ids uuid[]) -> NamesGone
-- Their ids in the systems that they were imported from. Importing the same file again brings them back.
with named as materialized (
    select s.external_id, s.slice_id
    from unnest($2::uuid[]) w(slice_id)
    join thoth.substrate_slices s
        on s.tenant_id = $1 and s.slice_id = w.slice_id and s.ingest_time = thoth.substrate_id_time(w.slice_id)
    where s.external_id is not null
), gone as (
    delete from thoth.substrate_external_ids x using named n
    where x.tenant_id = $1 and x.external_id = n.external_id and x.slice_id = n.slice_id
    returning x.source
)
select count(*) as ids, coalesce(array_agg(distinct source), '{}') as sources, (
    select count(*)
    from unnest($2::uuid[]) w(slice_id)
    join thoth.substrate_slices s
        on s.tenant_id = $1 and s.slice_id = w.slice_id and s.ingest_time = thoth.substrate_id_time(w.slice_id)
    where s.content_hash <> ''
) as slices from gone
