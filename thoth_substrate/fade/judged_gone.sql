-- judged_gone(tenant text, slice_ids uuid[]) -> -
-- What was said of a slice goes with its words. Its promotion is in the past: decisions, citations and facts do not read this again.
with d as (
    delete from thoth.substrate_digests x using unnest($2::uuid[]) w(slice_id) where x.tenant_id = $1 and x.slice_id = w.slice_id
)
delete from thoth.substrate_verdicts x using unnest($2::uuid[]) w(slice_id) where x.tenant_id = $1 and x.slice_id = w.slice_id
