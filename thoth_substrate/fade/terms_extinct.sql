-- terms_extinct(tenant text, terms text[]) -> -
-- A term that no passage has any more is no term: the caller's transaction holds its lock.
delete from thoth.substrate_terms where tenant_id = $1 and term = any($2::text[]) and passages <= 0
