-- concepts_near(tenant text, terms text[]) -> Near
-- Living concepts that have a term of a topic, with all of theirs; how much that is decides the code.
select c.concept_id, c.renewed_at, k.terms, k.keywords
from (
    select distinct x.concept_id from thoth.substrate_keywords x where x.tenant_id = $1 and x.term = any ($2::text[])
) n
join thoth.substrate_concepts c on c.tenant_id = $1 and c.concept_id = n.concept_id
cross join lateral (
    select array_agg(distinct x.term) as terms, array_agg(distinct x.keyword) as keywords
    from thoth.substrate_keywords x where x.tenant_id = $1 and x.concept_id = n.concept_id
) k
where c.expires_at > (select thoth.substrate_now())
order by c.concept_id
