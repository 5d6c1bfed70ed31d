-- version_chain(tenant text, slice_id uuid) -> Link
-- Every version of the memory that a slice is a version of, the first among them; read by the key of the first.
with found as materialized (
    select coalesce(
        (select v.first_id from thoth.substrate_memory_versions v where v.tenant_id = $1 and v.slice_id = $2),
        (select v.first_id from thoth.substrate_memory_versions v where v.tenant_id = $1 and v.replaces = $2),
        $2) as first_id
)
select first_id as slice_id, 1 as version, null::timestamptz as changed_at, '' as changed_by from found
union all
select v.slice_id, v.version, v.changed_at, v.changed_by
from found f join thoth.substrate_memory_versions v on v.tenant_id = $1 and v.first_id = f.first_id
order by version
