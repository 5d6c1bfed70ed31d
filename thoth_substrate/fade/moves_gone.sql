-- moves_gone(tenant text, slice_ids uuid[]) -> -
-- The logged moves of their anchors: when somebody came back to something is a trace of it.
delete from thoth.substrate_salience_events e using unnest($2::uuid[]) w(slice_id) where e.tenant_id = $1 and e.slice_id = w.slice_id
