-- concepts_speaking(tenant text, terms text[]) -> Touched
-- Those that have a word which nobody else has any more.
select distinct concept_id from thoth.substrate_keywords where tenant_id = $1 and term = any ($2::text[]) order by concept_id
