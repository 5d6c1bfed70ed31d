-- facts_retracted(tenant text, row_ids bigint[], reasons text[], superseded_bys bigint[]) -> -
-- The mind no longer holds them, or no longer in this form. Why, and what took their place, is kept with them.
update thoth.substrate_relationships r
set retracted_at = thoth.substrate_now(), retract_reason = w.reason, superseded_by = w.superseded_by
from unnest($2::bigint[], $3::text[], $4::bigint[]) w(row_id, reason, superseded_by)
where r.tenant_id = $1 and r.relationship_id = w.row_id and r.retracted_at is null
