-- facts_closed(tenant text, slice_ids uuid[], reason text) -> ClosedFact
-- Facts that these slices told of, and that nobody tells of any more: held no longer, and why is kept with them.
update thoth.substrate_relationships r set retracted_at = thoth.substrate_now(), retract_reason = $3
where r.tenant_id = $1 and r.retracted_at is null
    and r.relationship_id = any (array(
        select c.row_id from thoth.substrate_citations c where c.tenant_id = $1 and c.slice_id = any ($2::uuid[])
    ))
    and not exists (
        select from thoth.substrate_citations c
        where c.tenant_id = $1 and c.row_id = r.relationship_id and c.withdrawn_at is null
    )
returning r.relationship_id as row_id, r.subject_id, r.object_id
