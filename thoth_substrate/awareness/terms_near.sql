-- terms_near(tenant text, term text, limit_rows bigint) -> NearTerm
-- A tenant's own terms are few and compared one by one: an index over every tenant's would have to pass by all of the others'.
select k.term, (k.term <-> $2)::float8 as distance
from (
    select distinct x.term from thoth.substrate_keywords x
    join thoth.substrate_concepts c on c.tenant_id = $1 and c.concept_id = x.concept_id
    where x.tenant_id = $1 and length(x.term) > 2 and c.expires_at > (select thoth.substrate_now())
) k
order by k.term <-> $2, k.term limit $3
