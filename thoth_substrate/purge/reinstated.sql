-- reinstated(tenant text, row_ids bigint[], unended bigint[], going bigint[]) -> -
-- Held again, as nothing is left that it gave way to. What was ended by what goes lasts until the next that stands in its place.
update thoth.substrate_relationships r
set retracted_at = null, retract_reason = null, superseded_by = n.relationship_id,
    valid_to = case when r.relationship_id = any ($3::bigint[]) then n.valid_from else r.valid_to end
from thoth.substrate_relationships o
left join lateral (
    select t.relationship_id, t.valid_from from thoth.substrate_relationships t
    where t.tenant_id = $1 and t.subject_id = o.subject_id and t.predicate = o.predicate and t.retracted_at is null and t.functional
        and o.functional and not t.negated and t.object_norm <> o.object_norm and t.valid_from > o.valid_from
        and t.relationship_id <> all ($4::bigint[])
    order by t.valid_from limit 1
) n on true
where r.tenant_id = $1 and r.relationship_id = any ($2::bigint[]) and o.tenant_id = $1 and o.relationship_id = r.relationship_id
