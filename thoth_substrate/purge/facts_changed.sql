-- facts_changed(tenant text, row_ids bigint[], statements text[], from_times timestamptz[]) -> -
-- A fact that was written from several sources, written anew from those that are left. Null leaves its beginning as it is.
update thoth.substrate_relationships r
set statement = w.statement, valid_from = coalesce(w.valid_from, r.valid_from),
    valid_to = greatest(r.valid_to, coalesce(w.valid_from, r.valid_from))
from unnest($2::bigint[], $3::text[], $4::timestamptz[]) w(row_id, statement, valid_from)
where r.tenant_id = $1 and r.relationship_id = w.row_id
