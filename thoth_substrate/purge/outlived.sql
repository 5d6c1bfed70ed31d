-- outlived(tenant text, row_ids bigint[]) -> Outlived
-- What gave way to a fact that goes, under lock; `twin`: another form of it is held now.
select r.relationship_id as row_id, r.retracted_at is null as living, r.valid_to = d.valid_from as ended_by_it,
    exists (
        select from thoth.substrate_relationships t
        where t.tenant_id = $1 and t.subject_id = r.subject_id and t.predicate = r.predicate and t.object_norm = r.object_norm
            and t.negated = r.negated and t.relationship_id <> r.relationship_id and t.retracted_at is null
            and t.relationship_id <> all ($2::bigint[])
    ) as twin
from thoth.substrate_relationships r
join thoth.substrate_relationships d on d.tenant_id = $1 and d.relationship_id = r.superseded_by
where r.tenant_id = $1 and r.superseded_by = any ($2::bigint[]) and r.relationship_id <> all ($2::bigint[])
order by r.relationship_id
for update of r
