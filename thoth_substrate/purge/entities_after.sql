-- entities_after(tenant text, after_id bigint, limit_rows bigint) -> Described
-- Names, summaries and aliases, page by page: no index knows their words.
select e.entity_id as row_id, e.name || ' ' || e.summary || ' ' || coalesce((
    select string_agg(alias, ' ') from thoth.substrate_entity_aliases a where a.tenant_id = $1 and a.entity_id = e.entity_id
), '') as text
from thoth.substrate_entities e where e.tenant_id = $1 and e.entity_id > $2 order by e.entity_id limit $3
