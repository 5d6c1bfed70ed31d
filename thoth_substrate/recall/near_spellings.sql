-- near_spellings(tenant text, term text, limit_rows bigint) -> NearSpelling
-- A term nobody used is perhaps a misspelt name: the nearest known ones by trigram distance (GiST keeps its index under RLS).
select term, passages, (term <-> $2)::float8 as distance from thoth.substrate_terms
where tenant_id = $1 and length(term) > 2 order by term <-> $2 limit $3
