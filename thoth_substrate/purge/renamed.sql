-- renamed(tenant text, entity_ids bigint[], names text[], norms text[]) -> -
-- Facts that lead to an entity have its name in them.
update thoth.substrate_relationships r set object_text = w.name, object_norm = w.norm
from unnest($2::bigint[], $3::text[], $4::text[]) w(entity_id, name, norm)
where r.tenant_id = $1 and r.object_id = w.entity_id and r.object_text <> w.name
