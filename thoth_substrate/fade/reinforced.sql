-- reinforced(tenant text, slice_ids uuid[], cause text, share real, rest interval) -> -
-- Anchors are locked in the order of their ids, so that two turns cannot deadlock; how often one counts is bounded here, where all hosts meet.
with held as materialized (
    select m.slice_id, p.floor, thoth.substrate_id_time(m.slice_id) + p.release_unconsolidated_after as kept_until,
        least(1.0, thoth.substrate_level(m.anchor, m.anchored_at, m.half_life) + p.reinforce * $4::real)::real as level
    from thoth.substrate_salience m
    join thoth.substrate_profiles p on p.profile = m.profile
    where m.tenant_id = $1 and m.slice_id = any($2::uuid[]) and not m.pinned and m.anchor > 0 and p.reinforce > 0
        and coalesce(case $3::text when 'used' then m.used_at else m.reinforced_at end, '-infinity') <= thoth.substrate_now() - $5::interval
    order by m.slice_id
    for update of m
), moved as (
    update thoth.substrate_salience m
    set anchor = h.level, anchored_at = thoth.substrate_now(), reinforced_at = thoth.substrate_now(),
        used_at = case $3::text when 'used' then thoth.substrate_now() else m.used_at end,
        fades_at = greatest(thoth.substrate_fades_at(h.level, thoth.substrate_now(), m.half_life, h.floor), h.kept_until)
    from held h
    where m.tenant_id = $1 and m.slice_id = h.slice_id
    returning m.slice_id, m.anchored_at, m.anchor, m.half_life
)
insert into thoth.substrate_salience_events (tenant_id, slice_id, at, cause, anchor, half_life)
select $1, slice_id, anchored_at, $3, anchor, half_life from moved
on conflict (tenant_id, slice_id, at, cause) do nothing
