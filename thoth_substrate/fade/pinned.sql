-- pinned(tenant text, slice_id uuid) -> -
-- Held at the top from now on. Pinning what is pinned moves nothing and logs nothing.
with moved as (
    update thoth.substrate_salience
    set pinned = true, anchor = 1, anchored_at = thoth.substrate_now(), fades_at = 'infinity'
    where tenant_id = $1 and slice_id = $2 and not pinned
    returning slice_id, anchored_at, anchor, half_life
)
insert into thoth.substrate_salience_events (tenant_id, slice_id, at, cause, anchor, half_life)
select $1, slice_id, anchored_at, 'pinned', anchor, half_life from moved
on conflict (tenant_id, slice_id, at, cause) do nothing
