-- postings_gone(tenant text, row_ids bigint[]) -> -
-- Before rows are stated anew: names may have been taken from them. Their vectors stay.
delete from thoth.substrate_statement_postings p
using (
    select s.row_id, t.term
    from thoth.substrate_statements s cross join lateral unnest(s.terms) t(term)
    where s.tenant_id = $1 and s.row_id = any($2::bigint[])
) g
where p.tenant_id = $1 and p.term = g.term and p.row_id = g.row_id
