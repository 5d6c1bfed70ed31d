-- claim(tenant text, slice_ids uuid[]) -> Claimed
-- Re-check under lock, waiting for nobody: pinned, reinforced or taken meanwhile is left alone. `permitted` is what the release trigger asks.
select s.slice_id, p.tombstone,
    s.consolidation_state = 'consolidated' or s.forgotten
        or coalesce(s.ingest_time + p.release_unconsolidated_after <= thoth.substrate_now(), false) as permitted
from unnest($2::uuid[]) w(slice_id)
join thoth.substrate_slices s
    on s.tenant_id = $1 and s.slice_id = w.slice_id and s.ingest_time = thoth.substrate_id_time(w.slice_id)
join thoth.substrate_salience m on m.tenant_id = $1 and m.slice_id = w.slice_id
join thoth.substrate_profiles p on p.profile = m.profile
where s.consolidation_state <> 'released' and m.releasable and not m.pinned and m.fades_at <= thoth.substrate_now()
order by s.slice_id
for no key update of s, m skip locked
