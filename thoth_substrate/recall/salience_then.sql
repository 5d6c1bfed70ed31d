-- salience_then(tenant text, slice_ids uuid[], at timestamptz) -> SalienceThen
-- Salience at a past instant, from the anchor's last move by then; one that had not moved yet stood where it was born. Pinned is what the last pin or unpin by then said.
select w.slice_id, coalesce(e.anchor, 1) * case when coalesce(p.cause, '') = 'pinned' then 1 else power(2.0::float8, greatest(
        -greatest(date_part('epoch', $3::timestamptz - coalesce(e.at, thoth.substrate_id_time(w.slice_id))), 0.0)
        / date_part('epoch', coalesce(e.half_life, s.half_life)), -1000.0)) end as level,
    coalesce(p.cause, '') = 'pinned' as pinned
from unnest($2::uuid[]) w(slice_id)
join thoth.substrate_salience s on s.tenant_id = $1 and s.slice_id = w.slice_id
left join lateral (
    select anchor, at, half_life from thoth.substrate_salience_events
    where tenant_id = $1 and slice_id = w.slice_id and at <= $3 order by at desc limit 1
) e on true
left join lateral (
    select cause from thoth.substrate_salience_events
    where tenant_id = $1 and slice_id = w.slice_id and at <= $3 and cause in ('pinned', 'unpinned') order by at desc limit 1
) p on true
