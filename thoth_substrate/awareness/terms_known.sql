-- terms_known(tenant text, terms text[]) -> Known
-- Which of these words any concept has that has not expired; the others are perhaps misspelt.
select w.term from unnest($2::text[]) w(term)
where exists (
    select from thoth.substrate_keywords k join thoth.substrate_concepts c on c.tenant_id = $1 and c.concept_id = k.concept_id
    where k.tenant_id = $1 and k.term = w.term and c.expires_at > (select thoth.substrate_now())
)
