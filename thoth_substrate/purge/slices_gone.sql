-- slices_gone(tenant text, slice_ids uuid[]) -> SlicesGone
-- What the handshake and the crew noted of these slices themselves.
with v as (
    delete from thoth.substrate_verdicts x using unnest($2::uuid[]) w(slice_id) where x.tenant_id = $1 and x.slice_id = w.slice_id
    returning x.decision_id
), d as (
    delete from thoth.substrate_digests x using unnest($2::uuid[]) w(slice_id) where x.tenant_id = $1 and x.slice_id = w.slice_id
    returning x.decision_id
), l as (
    delete from thoth.substrate_dead_letters x using unnest($2::uuid[]) w(slice_id) where x.tenant_id = $1 and x.slice_id = w.slice_id
    returning 1
), q as (
    delete from thoth.substrate_unconsolidated x using unnest($2::uuid[]) w(slice_id) where x.tenant_id = $1 and x.slice_id = w.slice_id
    returning 1
)
select (select count(*) from v) as verdicts, (select count(*) from d) as digests, (select count(*) from l) as dead_letters,
    (select count(*) from q) as unconsolidated,
    (select coalesce(array_agg(distinct decision_id) filter (where decision_id is not null), '{}')
     from (select decision_id from v union all select decision_id from d) made) as decision_ids
