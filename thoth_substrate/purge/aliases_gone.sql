-- aliases_gone(tenant text, entity_ids bigint[], norms text[]) -> -
-- Names that only what is purged gave them.
delete from thoth.substrate_entity_aliases a using unnest($2::bigint[], $3::text[]) w(entity_id, norm)
where a.tenant_id = $1 and a.entity_id = w.entity_id and a.norm = w.norm
