-- entity_evidence(tenant text, entity_ids bigint[], session_ids text[], near_ids bigint[]) -> Evidence
-- Which of several of one name is meant: the one that the same session spoke of, and that knows the others that are named.
select w.entity_id,
    coalesce((
        select true from thoth.substrate_citations c
        where c.tenant_id = $1 and c.row_id = w.entity_id and c.session_id = any($3::text[])
        limit 1
    ), false) as in_session,
    (select count(distinct near) from (
        select coalesce(o.merged_into, o.entity_id) as near
        from thoth.substrate_relationships r
        join thoth.substrate_entities o on o.tenant_id = $1 and o.entity_id = r.object_id
        where r.tenant_id = $1 and r.subject_id = w.entity_id and r.retracted_at is null
        union all
        select coalesce(s.merged_into, s.entity_id)
        from thoth.substrate_relationships r
        join thoth.substrate_entities s on s.tenant_id = $1 and s.entity_id = r.subject_id
        where r.tenant_id = $1 and r.object_id = w.entity_id and r.retracted_at is null
    ) n where near = any($4::bigint[])) as neighbours
from unnest($2::bigint[]) w(entity_id)
