-- line_keywords(tenant text, limit_rows bigint) -> Fresh
-- By days since it was last spoken of, then by how many sources its concepts have, then the newest; nothing that has expired.
with asked as materialized (select thoth.substrate_now() as at)
select k.keyword
from (
    select x.keyword, max(x.last_at) as last_at, sum(s.sources) as shared
    from thoth.substrate_concepts c
    cross join lateral (
        select count(*) as sources from thoth.substrate_sources s where s.tenant_id = $1 and s.concept_id = c.concept_id
    ) s
    cross join lateral (
        select distinct k.keyword, k.last_at from thoth.substrate_keywords k where k.tenant_id = $1 and k.concept_id = c.concept_id
    ) x
    where c.tenant_id = $1 and c.expires_at > (select at from asked)
    group by x.keyword
) k
order by floor(greatest(date_part('epoch', (select at from asked) - k.last_at), 0) / 86400), k.shared desc, k.last_at desc, k.keyword
limit $2
