-- reflection_state(tenant text, at timestamptz, top bigint) -> ReflectionState
-- What has been learned since the last reflection.
select
    (select count(*) from thoth.substrate_patterns
     where tenant_id = $1 and retracted_at is null and kind = 'pattern') as patterns,
    (select count(*) from thoth.substrate_patterns
     where tenant_id = $1 and retracted_at is null and kind = 'pattern' and (asserted_at, pattern_id) > ($2, $3)) as new_patterns,
    (select count(*) from thoth.substrate_relationships where tenant_id = $1 and retracted_at is null) as facts,
    (select count(*) from thoth.substrate_relationships
     where tenant_id = $1 and retracted_at is null and (asserted_at, relationship_id) > ($2, $3)) as new_facts,
    n.asserted_at as newest_at, n.row_id as newest_id
from (values (true)) always(so)
left join lateral (
    select asserted_at, row_id from (
        select asserted_at, pattern_id as row_id from thoth.substrate_patterns where tenant_id = $1 and kind = 'pattern'
        union all
        select asserted_at, relationship_id from thoth.substrate_relationships where tenant_id = $1
    ) r order by asserted_at desc, row_id desc limit 1
) n on true
