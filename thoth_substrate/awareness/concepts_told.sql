-- concepts_told(tenant text, concept_ids bigint[]) -> Told
-- Keywords as the line orders them: the last spoken of first.
select c.concept_id, k.keywords, c.expires_at, k.last_at, c.renewed_at, c.made_at, c.decision_id
from unnest($2::bigint[]) w(concept_id)
join thoth.substrate_concepts c on c.tenant_id = $1 and c.concept_id = w.concept_id
cross join lateral (
    select coalesce(array_agg(x.keyword order by x.last_at desc, x.keyword), '{}') as keywords, coalesce(max(x.last_at), c.made_at) as last_at
    from (
        select y.keyword, max(y.last_at) as last_at from thoth.substrate_keywords y
        where y.tenant_id = $1 and y.concept_id = c.concept_id group by y.keyword
    ) x
) k
where c.expires_at > (select thoth.substrate_now())
