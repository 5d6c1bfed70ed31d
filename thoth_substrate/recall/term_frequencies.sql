-- term_frequencies(tenant text, terms text[]) -> TermFrequency
-- In how many of the tenant's passages each term of the question occurs: rare terms lead, unknown ones are told apart.
select term, passages from thoth.substrate_terms where tenant_id = $1 and term = any($2::text[])
