-- unpinned(tenant text, slice_id uuid) -> -
-- It begins to fade now, from the top: counted from when it was pinned it could be gone in the same moment.
with moved as (
    update thoth.substrate_salience m
    set pinned = false, anchor = 1, anchored_at = thoth.substrate_now(),
        releasable = m.releasable or p.release_unconsolidated_after is not null,
        fades_at = greatest(thoth.substrate_fades_at(1, thoth.substrate_now(), m.half_life, p.floor),
            thoth.substrate_id_time(m.slice_id) + p.release_unconsolidated_after)
    from thoth.substrate_profiles p
    where m.tenant_id = $1 and m.slice_id = $2 and m.pinned and p.profile = m.profile
    returning m.slice_id, m.anchored_at, m.anchor, m.half_life
)
insert into thoth.substrate_salience_events (tenant_id, slice_id, at, cause, anchor, half_life)
select $1, slice_id, anchored_at, 'unpinned', anchor, half_life from moved
on conflict (tenant_id, slice_id, at, cause) do nothing
