-- reverted(tenant text, row_ids bigint[]) -> Reverted
-- A fact whose times were told by what is purged: where all that is left stood behind its earlier form already, its times are that form's again.
update thoth.substrate_relationships r
set valid_from = o.valid_from, valid_to = o.valid_to, superseded_by = null
from thoth.substrate_relationships o
where r.tenant_id = $1 and r.relationship_id = any ($2::bigint[]) and r.retracted_at is null
    and o.tenant_id = $1 and o.superseded_by = r.relationship_id and o.subject_id = r.subject_id and o.predicate = r.predicate
    and o.object_norm = r.object_norm and o.negated = r.negated
    and (o.valid_from, o.valid_to) is distinct from (r.valid_from, r.valid_to)
    and not exists (
        select from thoth.substrate_citations c
        where c.tenant_id = $1 and c.row_id = r.relationship_id and not exists (
            select from thoth.substrate_citations b
            where b.tenant_id = $1 and b.row_id = o.relationship_id and b.slice_id = c.slice_id and b.passage_no = c.passage_no
                and b.quote_start = c.quote_start
        )
    )
returning r.relationship_id as row_id
