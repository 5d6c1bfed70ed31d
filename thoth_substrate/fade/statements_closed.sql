-- statements_closed(tenant text, row_ids bigint[]) -> -
-- What is no longer held is no longer found.
with gone as (
    delete from thoth.substrate_statements where tenant_id = $1 and row_id = any ($2::bigint[]) returning row_id, terms
)
delete from thoth.substrate_statement_postings p
using (select g.row_id, t.term from gone g cross join lateral unnest(g.terms) t(term)) g
where p.tenant_id = $1 and p.term = g.term and p.row_id = g.row_id
