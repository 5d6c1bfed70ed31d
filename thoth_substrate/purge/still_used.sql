-- still_used(tenant text, terms text[]) -> Term
-- Which of these words other slices have, too.
select t.term from unnest($2::text[]) w(term) join thoth.substrate_terms t on t.tenant_id = $1 and t.term = w.term
where t.passages > 0
