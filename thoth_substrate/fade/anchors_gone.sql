-- anchors_gone(tenant text, slice_ids uuid[]) -> -
-- After the slices: the release trigger reads the anchor's profile. The logged moves stay until their month expires.
delete from thoth.substrate_salience m using unnest($2::uuid[]) w(slice_id) where m.tenant_id = $1 and m.slice_id = w.slice_id
