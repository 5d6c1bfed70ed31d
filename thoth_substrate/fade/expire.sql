-- expire(tenant text, from_time timestamptz, to_time timestamptz) -> Count
-- Content goes with its keeping, even when the month must stay for a neighbour. A diary entry keeps its links and its payload's digest, and the chain holds.
with gone as (
    update thoth.substrate_slices s
    set released_at = thoth.substrate_now(), text = '', payload = null,
        metadata = case when s.consolidation_state = 'exempt' then s.metadata else '{}' end,
        actor = case when s.consolidation_state = 'exempt' then s.actor else '' end
    from thoth.substrate_streams st
    join thoth.substrate_profiles p on p.profile = st.profile
    where s.tenant_id = $1 and s.ingest_time >= $2 and s.ingest_time < $3 and s.released_at is null and st.stream_id = s.stream_id
        and (s.triage_state = 'rejected' or s.consolidation_state = 'exempt')
        and s.ingest_time + p.expire_after <= thoth.substrate_now()
    returning s.slice_id
), anchors as (
    delete from thoth.substrate_salience m using gone where m.tenant_id = $1 and m.slice_id = gone.slice_id
)
select count(*)::integer as n from gone
