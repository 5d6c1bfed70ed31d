-- importance_learned(tenant text, slice_ids uuid[], importances real[]) -> -
-- It stays as present as it is now, and fades from here at the rate of its importance; a pinned one only once it is unpinned. Learned twice, nothing moves.
with moved as (
    update thoth.substrate_salience m
    set importance = n.importance, half_life = n.half_life, anchor = n.level,
        anchored_at = case when m.pinned then m.anchored_at else thoth.substrate_now() end,
        fades_at = case when m.pinned then m.fades_at
            else greatest(thoth.substrate_fades_at(n.level, thoth.substrate_now(), n.half_life, n.floor), n.kept_until) end
    from (
        select s.slice_id, w.importance, p.floor, p.half_life * power(4.0::double precision, 2 * w.importance - 1) as half_life,
            thoth.substrate_level(s.anchor, s.anchored_at, s.half_life, s.pinned)::real as level,
            thoth.substrate_id_time(s.slice_id) + p.release_unconsolidated_after as kept_until
        from unnest($2::uuid[], $3::real[]) w(slice_id, importance)
        join thoth.substrate_salience s on s.tenant_id = $1 and s.slice_id = w.slice_id
        join thoth.substrate_profiles p on p.profile = s.profile
        where s.importance <> w.importance and s.anchor > 0
    ) n
    where m.tenant_id = $1 and m.slice_id = n.slice_id
    returning m.slice_id, m.anchor, m.half_life
)
insert into thoth.substrate_salience_events (tenant_id, slice_id, at, cause, anchor, half_life)
select $1, slice_id, thoth.substrate_now(), 'importance', anchor, half_life from moved
on conflict (tenant_id, slice_id, at, cause) do nothing
