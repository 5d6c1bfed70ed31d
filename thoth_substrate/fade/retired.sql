-- retired(tenant text, slice_ids uuid[], reason text) -> -
-- Found no more and promoted never, held by no pin. The words stay and fade in their time, so that what was so before can still be read.
with barred as (
    update thoth.substrate_slices s set forgotten = true, metadata = s.metadata || jsonb_build_object('retired', $3::text)
    from unnest($2::uuid[]) w(slice_id)
    where s.tenant_id = $1 and s.slice_id = w.slice_id and s.ingest_time = thoth.substrate_id_time(w.slice_id)
), moved as (
    update thoth.substrate_salience m
    set pinned = false, releasable = true, anchored_at = case when m.pinned then thoth.substrate_now() else m.anchored_at end,
        fades_at = case when m.pinned then thoth.substrate_fades_at(1, thoth.substrate_now(), m.half_life, p.floor) else m.fades_at end
    from unnest($2::uuid[]) w(slice_id), thoth.substrate_profiles p, thoth.substrate_salience before
    where m.tenant_id = $1 and m.slice_id = w.slice_id and p.profile = m.profile and before.tenant_id = $1 and before.slice_id = w.slice_id
    returning m.slice_id, m.anchored_at, m.anchor, m.half_life, before.pinned as was_pinned
)
insert into thoth.substrate_salience_events (tenant_id, slice_id, at, cause, anchor, half_life)
select $1, slice_id, anchored_at, 'unpinned', anchor, half_life from moved where was_pinned
on conflict (tenant_id, slice_id, at, cause) do nothing
