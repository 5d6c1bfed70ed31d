-- line_keywords(tenant text, limit_rows bigint) -> Fresh
-- By days since it was last spoken of, then by how many sources its concepts have, then the newest; nothing that has expired. Each table is read once, by the tenant's key.
with asked as materialized (
    select thoth.substrate_now() as at
), living as materialized (
    select c.concept_id, count(s.ref) as sources
    from thoth.substrate_concepts c left join thoth.substrate_sources s on s.tenant_id = $1 and s.concept_id = c.concept_id
    where c.tenant_id = $1 and c.expires_at > (select at from asked)
    group by c.concept_id
), noted as materialized (
    select k.concept_id, k.keyword, max(k.last_at) as last_at from thoth.substrate_keywords k
    where k.tenant_id = $1 group by k.concept_id, k.keyword
), said as (
    select n.keyword, max(n.last_at) as last_at, sum(l.sources) as shared
    from noted n join living l on l.concept_id = n.concept_id group by n.keyword
)
select said.keyword from said
order by floor(greatest(date_part('epoch', (select at from asked) - said.last_at), 0) / 86400), said.shared desc, said.last_at desc,
    said.keyword
limit $2
