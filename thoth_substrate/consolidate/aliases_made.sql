-- aliases_made(tenant text, entity_ids bigint[], norms text[], aliases text[], decision_id uuid) -> -
-- Every name by which an entity is found, its own too.
insert into thoth.substrate_entity_aliases (tenant_id, norm, entity_id, alias, decision_id)
select $1, w.norm, w.entity_id, w.alias, $5
from unnest($2::bigint[], $3::text[], $4::text[]) w(entity_id, norm, alias)
order by w.norm, w.entity_id
on conflict (tenant_id, norm, entity_id) do nothing
