-- matches(tenant text, terms text[], limit_rows bigint) -> Match
-- By how many of the words a concept has, then the fresher.
select c.concept_id, m.matched
from (
    select k.concept_id, array_agg(distinct k.term) as matched from thoth.substrate_keywords k
    where k.tenant_id = $1 and k.term = any ($2::text[]) group by k.concept_id
) m
join thoth.substrate_concepts c on c.tenant_id = $1 and c.concept_id = m.concept_id
where c.expires_at > (select thoth.substrate_now())
order by cardinality(m.matched) desc, c.renewed_at desc, c.concept_id desc limit $3
