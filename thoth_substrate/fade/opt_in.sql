-- opt_in(tenant text, profile text, after uuid, limit_rows bigint, anew boolean) -> OptedIn
-- What was perceived before the profile opted in may go as well; `anew` when only its patience changed. In bounded steps, so that no turn waits long.
with step as materialized (
    select m.slice_id from thoth.substrate_salience m
    where m.tenant_id = $1 and m.slice_id > $3 order by m.slice_id limit $4 for update
), moved as (
    update thoth.substrate_salience m
    set releasable = true, fades_at = greatest(thoth.substrate_fades_at(m.anchor, m.anchored_at, m.half_life, p.floor),
        thoth.substrate_id_time(m.slice_id) + p.release_unconsolidated_after)
    from step, thoth.substrate_profiles p
    where m.tenant_id = $1 and m.slice_id = step.slice_id and m.profile = $2 and not m.pinned and m.anchor > 0
        and ($5 or not m.releasable) and p.profile = $2
        and p.release_unconsolidated_after is not null
    returning m.slice_id
)
select (select slice_id from step order by slice_id desc limit 1) as last, (select count(*)::integer from moved) as n
