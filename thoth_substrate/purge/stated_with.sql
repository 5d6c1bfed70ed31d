-- stated_with(tenant text, terms text[]) -> Stated
-- Statements that have a word which nobody else has any more.
select distinct p.row_id from unnest($2::text[]) w(term)
join thoth.substrate_statement_postings p on p.tenant_id = $1 and p.term = w.term
order by p.row_id
