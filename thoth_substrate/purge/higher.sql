-- higher(tenant text, row_ids bigint[]) -> Higher
-- Patterns and observations, with what they rest on now and in which words.
select x.row_id, x.layer, x.statement, x.detail, x.community_id, s.supports, s.texts, c.quotes
from (
    select pattern_id as row_id, 'pattern' as layer, statement, null::jsonb as detail, community_id
    from thoth.substrate_patterns where tenant_id = $1 and pattern_id = any ($2::bigint[])
    union all
    select observation_id, 'observation', statement, detail, null from thoth.substrate_observations
    where tenant_id = $1 and observation_id = any ($2::bigint[])
) x
cross join lateral (
    select count(*)::integer as supports, coalesce(array_agg(t.text), '{}') as texts
    from thoth.substrate_supports p
    cross join lateral (
        select statement as text from thoth.substrate_relationships where tenant_id = $1 and relationship_id = p.support_id
        union all
        select statement from thoth.substrate_patterns where tenant_id = $1 and pattern_id = p.support_id
        union all
        select statement from thoth.substrate_observations where tenant_id = $1 and observation_id = p.support_id
    ) t
    where p.tenant_id = $1 and p.row_id = x.row_id
) s
cross join lateral (
    select coalesce(array_agg(quote), '{}') as quotes
    from thoth.substrate_citations c where c.tenant_id = $1 and c.row_id = x.row_id
) c
order by x.row_id
