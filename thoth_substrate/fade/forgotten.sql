-- forgotten(tenant text, slice_id uuid) -> -
-- No level, due at once, never promoted; a pin does not hold it.
with barred as (
    update thoth.substrate_slices set forgotten = true
    where tenant_id = $1 and slice_id = $2 and ingest_time = thoth.substrate_id_time($2)
), moved as (
    update thoth.substrate_salience
    set pinned = false, releasable = true, anchor = 0, anchored_at = thoth.substrate_now(), fades_at = thoth.substrate_now()
    where tenant_id = $1 and slice_id = $2
    returning slice_id, anchored_at, anchor, half_life
)
insert into thoth.substrate_salience_events (tenant_id, slice_id, at, cause, anchor, half_life)
select $1, slice_id, anchored_at, 'forgotten', anchor, half_life from moved
on conflict (tenant_id, slice_id, at, cause) do nothing
