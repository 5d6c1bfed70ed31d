-- freed_verdicts(tenant text, slice_ids uuid[]) -> -
-- Their passages are to be judged again.
delete from thoth.substrate_verdicts v using unnest($2::uuid[]) w(slice_id) where v.tenant_id = $1 and v.slice_id = w.slice_id
