-- unstated(tenant text, row_ids bigint[]) -> Unstated
-- Their words and vectors leave the index of statements.
with postings as (
    delete from thoth.substrate_statement_postings p
    using (
        select s.row_id, t.term from thoth.substrate_statements s cross join lateral unnest(s.terms) t(term)
        where s.tenant_id = $1 and s.row_id = any ($2::bigint[])
    ) g
    where p.tenant_id = $1 and p.term = g.term and p.row_id = g.row_id
    returning 1
), gone as (
    delete from thoth.substrate_statements where tenant_id = $1 and row_id = any ($2::bigint[]) returning 1
)
select (select count(*) from gone) as statements, (select count(*) from postings) as postings
