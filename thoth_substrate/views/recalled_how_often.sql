-- recalled_how_often(tenant text, slice_id uuid, slice_text text) -> Recalled
-- The log is read newest first and bounded; the anchor's moves have the slice in their key.
select l.shown, l.last_shown, e.surfaced, e.used
from (
    select count(*) as shown, max(r.asked_at) as last_shown
    from (
        select g.asked_at, g.shown
        from thoth.substrate_recall_log g
        where g.tenant_id = $1
        order by g.asked_at desc
        limit 10000
    ) r
    where r.shown @> jsonb_build_array(jsonb_build_object('slice_id', $3::text))
) l
cross join (
    select count(*) filter (where v.cause = 'surfaced') as surfaced, count(*) filter (where v.cause = 'used') as used
    from thoth.substrate_salience_events v
    where v.tenant_id = $1
      and v.slice_id = $2
) e
