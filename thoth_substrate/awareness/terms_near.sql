-- terms_near(tenant text, term text, limit_rows bigint) -> NearTerm
-- A tenant's own terms are few and compared one by one: an index over every tenant's would have to pass by all of the others'.
with living as materialized (
    select c.concept_id from thoth.substrate_concepts c where c.tenant_id = $1 and c.expires_at > (select thoth.substrate_now())
), known as materialized (
    select distinct x.term from thoth.substrate_keywords x join living using (concept_id)
    where x.tenant_id = $1 and length(x.term) > 2
)
select k.term, k.distance from (select known.term, (known.term <-> $2)::float8 as distance from known) k
order by k.distance, k.term limit $3
