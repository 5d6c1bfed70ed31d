-- flush_batch(tenant text, slice_ids uuid[], streams text[], sessions text[], actors text[], event_times timestamptz[], offsets integer[], texts text[], payloads text[], metadata text[], sources text[], external_ids text[]) -> Flushed
-- A batch of one tenant's slices with their queue and salience rows, whole or not at all. What is there already is left alone, so that a replay is harmless.
with profiles as materialized (
    select stream, stream_id, profile, stream = 'substrate.self_state' as diary, half_life,
        greatest(half_life * (-ln(floor) / ln(2)), release_unconsolidated_after) as fades_after,
        release_unconsolidated_after is not null as releasable
    from thoth.substrate_streams join thoth.substrate_profiles using (profile)
),
given as materialized (
    select g.*, thoth.substrate_id_time(g.slice_id) as ingest_time, p.stream_id, p.profile, p.diary, p.half_life, p.fades_after, p.releasable
    from unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::integer[], $8::text[], $9::text[], $10::text[],
            $11::text[], $12::text[]) with ordinality
        g (slice_id, stream, session_id, actor, event_time, event_offset_s, text, payload, metadata, source, external_id, place)
    left join profiles p using (stream)  -- an unknown stream must fail for want of its number, not vanish
),
keyed as (
    -- In one order everywhere, so that two importers of one source cannot lock each other out.
    insert into thoth.substrate_external_ids (tenant_id, source, external_id, slice_id)
    select $1, source, external_id, slice_id from given where external_id is not null order by source, external_id, place
    on conflict do nothing
    returning slice_id
),
fresh as (
    insert into thoth.substrate_slices (tenant_id, slice_id, ingest_time, stream_id, session_id, actor, event_time, event_offset_s,
        triage_state, consolidation_state, content_hash, external_id, text, payload, metadata)
    select $1, slice_id, ingest_time, stream_id, session_id, actor, coalesce(event_time, ingest_time), event_offset_s,
        case when diary then 'passed' else 'pending' end, case when diary then 'exempt' else 'unconsolidated' end,
        sha256(convert_to(text, 'UTF8')), external_id, text, payload::jsonb, metadata::jsonb
    from given
    where external_id is null or slice_id in (select slice_id from keyed)
    on conflict do nothing
    returning slice_id
),
stored as materialized (
    select g.slice_id, g.ingest_time, g.profile, g.diary, g.half_life, g.fades_after, g.releasable from fresh join given g using (slice_id)
),
queued as (
    insert into thoth.substrate_pending (tenant_id, slice_id, profile, queued_at)
    select $1, slice_id, profile, now.at from stored, (select thoth.substrate_now() as at) now where not diary
    on conflict do nothing
),
attended as (
    insert into thoth.substrate_salience (tenant_id, slice_id, anchor, anchored_at, half_life, fades_at, releasable, profile)
    select $1, slice_id, 1, ingest_time, half_life, ingest_time + fades_after, releasable, profile from stored
    on conflict do nothing
),
known as (
    insert into thoth.substrate_tenants (tenant_id, first_seen)
    select $1, thoth.substrate_now()
    where exists (select from stored) and not exists (select from thoth.substrate_tenants where tenant_id = $1)
    on conflict do nothing
),
announced as (
    select pg_notify('thoth_pending', $1) where exists (select from stored where not diary)
)
select (select count(*) from stored)::integer as written,
    (select count(*) from given g left join thoth.substrate_external_ids x on x.tenant_id = $1 and x.source = g.source and x.external_id = g.external_id
     where g.external_id is not null and g.slice_id not in (select slice_id from keyed) and x.slice_id is distinct from g.slice_id)::integer as duplicates,
    (select count(*) from announced)::integer as announced
