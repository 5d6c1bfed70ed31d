-- summary_append(tenant text, slice_id uuid, stream text, session text, event_time timestamptz, trust real, text text, payload jsonb, metadata jsonb, source text, external_id text, importance real) -> Written
-- Born passed and consolidated, with its anchor and its place before the index, and in no other queue. The external id is its idempotency.
with keyed as (
    insert into thoth.substrate_external_ids (tenant_id, source, external_id, slice_id)
    values ($1, $10, $11, $2)
    on conflict do nothing
    returning slice_id
), profile as (
    select st.stream_id, p.profile, p.floor, p.half_life * power(4, 2 * $12::real - 1) as half_life
    from thoth.substrate_streams st join thoth.substrate_profiles p on p.profile = st.profile where st.stream = $3
), written as (
    insert into thoth.substrate_slices (tenant_id, slice_id, ingest_time, stream_id, session_id, actor, event_time, trust, triage_state,
        consolidation_state, content_hash, external_id, text, payload, metadata)
    select $1, $2, thoth.substrate_id_time($2), p.stream_id, $4, 'summarizer', $5, $6, 'passed', 'consolidated',
        sha256(convert_to($7, 'UTF8')), $11, $7, $8, $9
    from keyed cross join profile p
    returning slice_id, ingest_time
), attended as (
    insert into thoth.substrate_salience (tenant_id, slice_id, anchor, anchored_at, half_life, fades_at, importance, releasable, profile)
    select $1, w.slice_id, 1, w.ingest_time, p.half_life, thoth.substrate_fades_at(1::real, w.ingest_time, p.half_life, p.floor), $12, true,
        p.profile
    from written w cross join profile p
), unindexed as (
    insert into thoth.substrate_unindexed (tenant_id, slice_id) select $1, slice_id from written on conflict do nothing
)
select slice_id from written
