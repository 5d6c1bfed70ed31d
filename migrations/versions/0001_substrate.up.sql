-- The ground: perception, attention, search, the workers' state and the audit chain.
-- Tables are the pipes between steps, a state column is an arrow, each arrow has one writer (docs/explanation/data.md).

create schema if not exists thoth;
comment on schema thoth is 'Thoth: an agent''s memory. Its tables may share a database with others.';

do $$
declare
    role text;
begin
    foreach role in array array['thoth_app', 'thoth_worker'] loop
        if not exists (select from pg_roles where rolname = role) then
            begin
                execute format('create role %I nologin noinherit', role);
            exception when duplicate_object or unique_violation then
                null;  -- another database of this server is being migrated at the same moment: roles belong to the server
            end;
        end if;
        -- The run-time user takes these roles inside each transaction, so that row-level security binds even an owner.
        -- Somebody with the right may have granted them beforehand to a user who may not grant them to itself.
        if not pg_has_role(current_user, role, 'SET') then
            execute format('grant %I to %I with inherit false, set true', role, current_user);
        end if;
    end loop;
end $$;

grant usage on schema thoth to thoth_app, thoth_worker;

-- ── Time ────────────────────────────────────────────────────────────────────────────────────────────────────────────

create function thoth.substrate_now() returns timestamptz
    language sql stable parallel safe
    return coalesce(nullif(current_setting('thoth.now', true), '')::timestamptz, clock_timestamp());
comment on function thoth.substrate_now() is 'The one clock of SQL: the instant pinned by the transaction, else the server''s clock.';

create function thoth.substrate_tenant() returns text
    language sql stable parallel safe
    return current_setting('thoth.tenant', true);
comment on function thoth.substrate_tenant() is 'The tenant of this transaction: the key of row-level security.';

-- uuid_extract_timestamp() reads version 7 only from PostgreSQL 18 on.
create function thoth.substrate_id_time(id uuid) returns timestamptz
    language sql immutable strict parallel safe
    return timestamptz 'epoch' + interval '1 millisecond' * (('x' || substr(replace(id::text, '-', ''), 1, 12))::bit(48)::bigint);
comment on function thoth.substrate_id_time(uuid) is 'The ingest time (ms) that a slice id carries, so that a look-up by id prunes to one month.';

create function thoth.substrate_level(anchor real, anchored_at timestamptz, half_life interval) returns double precision
    language sql stable parallel safe
    return anchor * power(2.0::double precision, greatest(
        -greatest(date_part('epoch', thoth.substrate_now() - anchored_at), 0.0) / date_part('epoch', half_life), -1000.0));
comment on function thoth.substrate_level(real, timestamptz, interval) is 'Salience now, 0..1, from its anchor; bounded below, since PostgreSQL raises on underflow.';

create function thoth.substrate_level(anchor real, anchored_at timestamptz, half_life interval, pinned boolean) returns double precision
    language sql stable parallel safe
    return case when pinned then anchor else thoth.substrate_level(anchor, anchored_at, half_life) end;
comment on function thoth.substrate_level(real, timestamptz, interval, boolean) is 'Salience now of a slice that may be pinned: then its anchor holds, and time takes nothing from it.';

create function thoth.substrate_fades_at(anchor real, anchored_at timestamptz, half_life interval, floor real) returns timestamptz
    language sql stable parallel safe
    -- In seconds: an interval of days would be stretched by the session's daylight saving time.
    return anchored_at + make_interval(secs => date_part('epoch', half_life)
        * case when anchor > floor then (ln(anchor::double precision) - ln(floor::double precision)) / ln(2.0::double precision)
          else 0.0::double precision end);
comment on function thoth.substrate_fades_at(real, timestamptz, interval, real) is 'When a level falls below the floor, from its anchor; the anchor''s own instant when it already has.';

-- ── Registry ────────────────────────────────────────────────────────────────────────────────────────────────────────

create table thoth.substrate_profiles (
    profile text primary key check (profile ~ '^[a-z][a-z0-9-]{0,62}$'),
    half_life interval not null check (half_life > interval '0'),
    floor real not null check (floor > 0 and floor < 1),
    reinforce real not null check (reinforce between 0 and 1),
    pending_ttl interval not null check (pending_ttl > interval '0'),
    consolidation_window interval not null check (consolidation_window > interval '0'),
    tombstone text not null check (tombstone in ('thin', 'none')),
    tombstone_reason text check (tombstone = 'thin' or tombstone_reason is not null),
    release_unconsolidated_after interval check (release_unconsolidated_after > interval '0'),
    expire_after interval not null default interval '90 days' check (expire_after > interval '0')
);
comment on table thoth.substrate_profiles is 'Decay profiles: how a kind of slice fades and what is left of it. Read by perceive, written by `profiles set`.';
comment on column thoth.substrate_profiles.profile is 'Name of the profile.';
comment on column thoth.substrate_profiles.half_life is 'Span after which salience is halved, at importance 0.5.';
comment on column thoth.substrate_profiles.floor is 'Level (0..1) below which a slice counts as faded.';
comment on column thoth.substrate_profiles.reinforce is 'Level (0..1) added when a memory was used.';
comment on column thoth.substrate_profiles.pending_ttl is 'Span a slice may wait for triage while a Sentinel is alive.';
comment on column thoth.substrate_profiles.consolidation_window is 'Span a session''s slices may wait for a fuller batch.';
comment on column thoth.substrate_profiles.tombstone is 'What a released slice leaves: thin (ids, times, stream, hash) or none.';
comment on column thoth.substrate_profiles.tombstone_reason is 'Why this profile leaves no tombstone.';
comment on column thoth.substrate_profiles.release_unconsolidated_after is 'Opt-in: span after which a faded slice goes even though nothing was promoted; null means never.';
comment on column thoth.substrate_profiles.expire_after is 'Span for which rejected slices, diary rows and logs of this profile are kept.';

insert into thoth.substrate_profiles
    (profile, half_life, floor, reinforce, pending_ttl, consolidation_window, tombstone, tombstone_reason, expire_after)
values
    ('default-text', '14 days', 0.05, 0.10, '5 minutes', '1 day', 'thin', null, '90 days'),
    ('default-structured', '2 days', 0.05, 0.05, '2 minutes', '12 hours', 'thin', null, '30 days'),
    ('default-binary', '30 days', 0.10, 0.15, '10 minutes', '7 days', 'thin', null, '90 days'),
    ('default-signal', '6 hours', 0.02, 0.02, '30 seconds', '1 hour', 'none', 'Readings are many and each alone means nothing.', '7 days'),
    ('diary', '30 days', 0.05, 0.0, '5 minutes', '1 day', 'thin', null, '90 days'),
    ('log', '30 days', 0.05, 0.0, '5 minutes', '1 day', 'thin', null, '180 days');

create table thoth.substrate_streams (
    stream_id smallint generated always as identity primary key,
    stream text not null unique check (stream ~ '^[a-z][a-z0-9_]*(\.[a-z0-9_]+)+$'),
    family text not null check (family in ('exteroceptive', 'self_action', 'self_state')),
    modality text not null check (modality in ('text', 'structured', 'binary', 'signal')),
    source text not null,
    profile text not null references thoth.substrate_profiles,
    lifecycle text not null default 'active' check (lifecycle in ('active', 'retired')),
    registered_at timestamptz not null default thoth.substrate_now()
);
comment on table thoth.substrate_streams is 'Named channels of perception, the same for every tenant. Written by perceive at boot.';
comment on column thoth.substrate_streams.stream_id is 'Short key used in slices and passages.';
comment on column thoth.substrate_streams.stream is 'Dotted name, e.g. thoth.world.user_message.cli.';
comment on column thoth.substrate_streams.family is 'exteroceptive (the world), self_action (the agent), self_state (the substrate).';
comment on column thoth.substrate_streams.modality is 'text, structured, binary or signal.';
comment on column thoth.substrate_streams.source is 'Where its events come from.';
comment on column thoth.substrate_streams.profile is 'Decay profile of its slices.';
comment on column thoth.substrate_streams.lifecycle is 'active, or retired (kept for the slices it has).';
comment on column thoth.substrate_streams.registered_at is 'When it was first registered.';

create table thoth.substrate_tenants (
    tenant_id text primary key check (tenant_id ~ '^[\w.:@-]{1,64}$'),
    first_seen timestamptz not null default thoth.substrate_now()
);
comment on table thoth.substrate_tenants is 'Every tenant that has perceived anything, so that workers need not scan for them.';
comment on column thoth.substrate_tenants.tenant_id is 'The tenant.';
comment on column thoth.substrate_tenants.first_seen is 'When its first slice was written.';

-- ── Perception ──────────────────────────────────────────────────────────────────────────────────────────────────────

create table thoth.substrate_slices (
    tenant_id text not null,
    slice_id uuid not null,
    ingest_time timestamptz not null,
    stream_id smallint not null,
    session_id text not null,
    actor text not null,
    event_time timestamptz not null,
    event_offset_s integer,
    trust real not null default 1.0 check (trust between 0 and 1),
    triage_state text not null default 'pending' check (triage_state in ('pending', 'passed', 'quarantined', 'rejected')),
    triage_reason text,
    consolidation_state text not null default 'unconsolidated'
        check (consolidation_state in ('unconsolidated', 'partial', 'consolidated', 'released', 'exempt')),
    consolidation_attempts smallint not null default 0,
    forgotten boolean not null default false,
    released_at timestamptz,
    content_hash bytea not null,
    external_id text,
    text text not null,
    payload jsonb,
    metadata jsonb not null default '{}',
    primary key (tenant_id, slice_id, ingest_time),
    check (consolidation_state <> 'released' or (payload is null and text = ''))
) partition by range (ingest_time);
create index substrate_slices_session on thoth.substrate_slices (tenant_id, session_id, event_time);
comment on table thoth.substrate_slices is 'L0: what was perceived, by month of ingest_time. Two indexes only: more would cost the writing dear (ADR 0004).';
comment on column thoth.substrate_slices.tenant_id is 'Owner of the row; key of row-level security.';
comment on column thoth.substrate_slices.slice_id is 'UUIDv7 whose milliseconds are ingest_time.';
comment on column thoth.substrate_slices.ingest_time is 'When it was perceived (UTC, ms precision).';
comment on column thoth.substrate_slices.stream_id is 'Channel it came in by.';
comment on column thoth.substrate_slices.session_id is 'Conversation it belongs to.';
comment on column thoth.substrate_slices.actor is 'Who spoke or acted.';
comment on column thoth.substrate_slices.event_time is 'When it happened in the world (UTC).';
comment on column thoth.substrate_slices.event_offset_s is 'UTC offset of the event as it was given, in seconds; null when none was.';
comment on column thoth.substrate_slices.trust is 'How far its words may be relied on, 0..1. Written by triage.';
comment on column thoth.substrate_slices.triage_state is 'pending → passed | quarantined | rejected. Written by triage.';
comment on column thoth.substrate_slices.triage_reason is 'Why it was quarantined or rejected.';
comment on column thoth.substrate_slices.consolidation_state is 'unconsolidated → partial → consolidated (consolidate) → released (fade); exempt: diary.';
comment on column thoth.substrate_slices.consolidation_attempts is 'How often consolidation was tried, count.';
comment on column thoth.substrate_slices.forgotten is 'Somebody asked to forget it: never promoted, released on the next cycle.';
comment on column thoth.substrate_slices.released_at is 'When content, passages and vectors went; what remains is the tombstone.';
comment on column thoth.substrate_slices.content_hash is 'SHA-256 of the stored content; outlives it.';
comment on column thoth.substrate_slices.external_id is 'Id in the system it was imported from.';
comment on column thoth.substrate_slices.text is 'What is searchable of it, extracted once.';
comment on column thoth.substrate_slices.payload is 'The structured original; null when the text is all there is.';
comment on column thoth.substrate_slices.metadata is 'Free keys of the host or importer.';

create table thoth.substrate_external_ids (
    tenant_id text not null,
    source text not null,
    external_id text not null,
    slice_id uuid not null,
    primary key (tenant_id, source, external_id)
);
comment on table thoth.substrate_external_ids is 'Makes imports idempotent: a unique index on a month-partitioned table cannot.';
comment on column thoth.substrate_external_ids.tenant_id is 'Owner of the row.';
comment on column thoth.substrate_external_ids.source is 'System the id belongs to.';
comment on column thoth.substrate_external_ids.external_id is 'Id in that system.';
comment on column thoth.substrate_external_ids.slice_id is 'The slice it became.';

create table thoth.substrate_pending (
    tenant_id text not null,
    slice_id uuid not null,
    profile text not null,
    queued_at timestamptz not null default thoth.substrate_now(),
    primary key (tenant_id, slice_id)
) with (fillfactor = 100, autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 5000);
create index substrate_pending_queued on thoth.substrate_pending (queued_at);
comment on table thoth.substrate_pending is 'Slices that wait for triage: a narrow queue, drained by DELETE … SKIP LOCKED.';
comment on column thoth.substrate_pending.tenant_id is 'Owner of the row.';
comment on column thoth.substrate_pending.slice_id is 'The slice that waits.';
comment on column thoth.substrate_pending.profile is 'Decay profile, whose pending_ttl bounds the wait.';
comment on column thoth.substrate_pending.queued_at is 'When it entered the database: the wait counts from here, or from when a Sentinel came alive.';

create table thoth.substrate_quarantine (
    tenant_id text not null,
    slice_id uuid not null,
    since timestamptz not null default thoth.substrate_now(),
    primary key (tenant_id, slice_id)
);
comment on table thoth.substrate_quarantine is 'Slices in quarantine whose content is still there, kept by a trigger: finding them must not scan every month.';
comment on column thoth.substrate_quarantine.tenant_id is 'Owner of the row.';
comment on column thoth.substrate_quarantine.slice_id is 'The slice that is held back.';
comment on column thoth.substrate_quarantine.since is 'When it was held back.';

create table thoth.substrate_unindexed (
    tenant_id text not null,
    slice_id uuid not null,
    queued_at timestamptz not null default thoth.substrate_now(),
    primary key (tenant_id, slice_id)
) with (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 5000);
create index substrate_unindexed_queued on thoth.substrate_unindexed (queued_at);
comment on table thoth.substrate_unindexed is 'Passed slices whose passages and postings are still to be written.';
comment on column thoth.substrate_unindexed.tenant_id is 'Owner of the row.';
comment on column thoth.substrate_unindexed.slice_id is 'The slice that waits.';
comment on column thoth.substrate_unindexed.queued_at is 'When it passed triage.';

create table thoth.substrate_unembedded (
    tenant_id text not null,
    passage_id bigint not null,
    queued_at timestamptz not null default thoth.substrate_now(),
    attempts smallint not null default 0,
    not_before timestamptz not null default '-infinity',
    failure text,
    primary key (tenant_id, passage_id)
) with (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 5000);
create index substrate_unembedded_due on thoth.substrate_unembedded (not_before, queued_at);
comment on table thoth.substrate_unembedded is 'Passages without a vector of the active model. A row that keeps failing stays, visible, until `embed retry`.';
comment on column thoth.substrate_unembedded.tenant_id is 'Owner of the row.';
comment on column thoth.substrate_unembedded.passage_id is 'The passage that waits.';
comment on column thoth.substrate_unembedded.queued_at is 'When it was indexed, or re-embedding was asked for.';
comment on column thoth.substrate_unembedded.attempts is 'How often it failed, count.';
comment on column thoth.substrate_unembedded.not_before is 'Not tried again before this instant; infinity: given up until retried by hand.';
comment on column thoth.substrate_unembedded.failure is 'What the last attempt said.';

create table thoth.substrate_unconsolidated (
    tenant_id text not null,
    slice_id uuid not null,
    queued_at timestamptz not null default thoth.substrate_now(),
    primary key (tenant_id, slice_id)
) with (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 5000);
comment on table thoth.substrate_unconsolidated is 'Passed slices whose meaning is still to be promoted. Without a model it grows, and health shows it.';
comment on column thoth.substrate_unconsolidated.tenant_id is 'Owner of the row.';
comment on column thoth.substrate_unconsolidated.slice_id is 'The slice that waits.';
comment on column thoth.substrate_unconsolidated.queued_at is 'When it passed triage.';

-- ── Attention ───────────────────────────────────────────────────────────────────────────────────────────────────────

create table thoth.substrate_salience (
    tenant_id text not null,
    slice_id uuid not null,
    anchor real not null check (anchor between 0 and 1),
    anchored_at timestamptz not null,
    half_life interval not null,
    fades_at timestamptz not null,
    importance real not null default 0.5 check (importance between 0 and 1),
    pinned boolean not null default false,
    releasable boolean not null default false,
    reinforced_at timestamptz,
    used_at timestamptz,
    profile text not null,
    primary key (tenant_id, slice_id)
) partition by hash (tenant_id);
create index substrate_salience_due on thoth.substrate_salience (fades_at) where releasable and not pinned;
create index substrate_salience_pinned on thoth.substrate_salience (tenant_id) where pinned;
comment on table thoth.substrate_salience is 'The anchor from which salience is computed when it is read: anchor * 2^(-(t - anchored_at) / half_life). Never swept.';
comment on column thoth.substrate_salience.tenant_id is 'Owner of the row.';
comment on column thoth.substrate_salience.slice_id is 'The slice.';
comment on column thoth.substrate_salience.anchor is 'Level at anchored_at, 0..1.';
comment on column thoth.substrate_salience.anchored_at is 'Instant of the anchor.';
comment on column thoth.substrate_salience.half_life is 'Span after which the level is halved, importance included.';
comment on column thoth.substrate_salience.fades_at is 'When the level falls below the profile''s floor: anchored_at + half_life * log2(anchor / floor).';
comment on column thoth.substrate_salience.importance is '0..1, 0.5 until the Parser knows better.';
comment on column thoth.substrate_salience.pinned is 'Never fades.';
comment on column thoth.substrate_salience.releasable is 'Consolidated, forgotten, or of a profile that releases unconsolidated slices.';
comment on column thoth.substrate_salience.reinforced_at is 'Last reinforcement of either kind: bounds how often being surfaced counts.';
comment on column thoth.substrate_salience.used_at is 'Last reinforcement by use: bounds how often being used counts.';
comment on column thoth.substrate_salience.profile is 'Decay profile.';

create table thoth.substrate_salience_events (
    tenant_id text not null,
    slice_id uuid not null,
    at timestamptz not null,
    cause text not null check (cause in ('surfaced', 'used', 'pinned', 'unpinned', 'forgotten', 'importance')),
    anchor real not null,
    half_life interval not null,
    primary key (tenant_id, slice_id, at, cause)
) partition by range (at);
comment on table thoth.substrate_salience_events is 'Every move of an anchor after birth, by month, so that salience at any past instant can be recomputed.';
comment on column thoth.substrate_salience_events.tenant_id is 'Owner of the row.';
comment on column thoth.substrate_salience_events.slice_id is 'The slice.';
comment on column thoth.substrate_salience_events.at is 'When the anchor moved.';
comment on column thoth.substrate_salience_events.cause is 'What moved it.';
comment on column thoth.substrate_salience_events.anchor is 'The new level, 0..1.';
comment on column thoth.substrate_salience_events.half_life is 'The new half-life.';

-- ── Search ──────────────────────────────────────────────────────────────────────────────────────────────────────────

create table thoth.substrate_sessions (
    tenant_id text not null,
    session_id text not null,
    session_no integer generated always as identity,
    last_seq integer not null default 0,
    primary key (tenant_id, session_id)
) with (fillfactor = 70);
comment on table thoth.substrate_sessions is 'Short numbers for sessions, and how many passages each has: neighbours are then ±1.';
comment on column thoth.substrate_sessions.tenant_id is 'Owner of the row.';
comment on column thoth.substrate_sessions.session_id is 'The conversation.';
comment on column thoth.substrate_sessions.session_no is 'Its short number.';
comment on column thoth.substrate_sessions.last_seq is 'Sequence number of its newest passage, count from 1.';

create sequence thoth.substrate_passage_ids as bigint cache 50;
comment on sequence thoth.substrate_passage_ids is 'Short ids of passages: a posting then takes 8 bytes where a slice id and a number would take 18.';

create table thoth.substrate_passages (
    tenant_id text not null,
    passage_id bigint not null default nextval('thoth.substrate_passage_ids'),
    slice_id uuid not null,
    passage_no smallint not null,
    stream_id smallint not null,
    session_no integer not null,
    seq integer not null,
    event_time timestamptz not null,
    char_start integer not null,
    char_end integer not null,
    length integer not null,
    flags smallint not null default 0,
    trust real not null default 1.0,
    actor text not null,
    terms text[] not null,
    counts smallint[] not null,
    primary key (tenant_id, passage_id)
) partition by hash (tenant_id);
create unique index substrate_passages_slice on thoth.substrate_passages (tenant_id, slice_id, passage_no);
create index substrate_passages_session on thoth.substrate_passages (tenant_id, session_no, seq);
create index substrate_passages_time on thoth.substrate_passages (tenant_id, event_time);
comment on table thoth.substrate_passages is 'The searchable unit: a slice, or a piece of a long one. Hashed by tenant, not split by month, so that a recall over all ages touches one index (ADR 0005).';
comment on column thoth.substrate_passages.tenant_id is 'Owner of the row.';
comment on column thoth.substrate_passages.passage_id is 'Short id.';
comment on column thoth.substrate_passages.slice_id is 'The slice it is of.';
comment on column thoth.substrate_passages.passage_no is 'Which piece of the slice, from 0.';
comment on column thoth.substrate_passages.stream_id is 'Channel of the slice.';
comment on column thoth.substrate_passages.session_no is 'Short number of the session.';
comment on column thoth.substrate_passages.seq is 'Place in the session, count from 1.';
comment on column thoth.substrate_passages.event_time is 'When it happened.';
comment on column thoth.substrate_passages.char_start is 'First character of the piece in the slice''s text, from 0.';
comment on column thoth.substrate_passages.char_end is 'Character after its last.';
comment on column thoth.substrate_passages.length is 'Terms in it, repetitions included, count.';
comment on column thoth.substrate_passages.flags is 'Bits: 1 is a question, 2 speaks in the first person, 4 tells a time, 8 states a lasting wish.';
comment on column thoth.substrate_passages.trust is 'Trust of the slice, 0..1.';
comment on column thoth.substrate_passages.actor is 'Who spoke.';
comment on column thoth.substrate_passages.terms is 'Its distinct terms: the forward index, for term feedback and for taking postings back.';
comment on column thoth.substrate_passages.counts is 'How often each of them occurs, count.';

create table thoth.substrate_embedding_models (
    model text primary key,
    dimensions smallint not null check (dimensions between 8 and 1536),
    centre real[] not null,
    active boolean not null default false,
    registered_at timestamptz not null default thoth.substrate_now()
);
create unique index substrate_embedding_models_active on thoth.substrate_embedding_models (active) where active;
comment on table thoth.substrate_embedding_models is 'Who made which vectors. The active one wins until `embed reembed`; a new key never switches it.';
comment on column thoth.substrate_embedding_models.model is 'provider:name.';
comment on column thoth.substrate_embedding_models.dimensions is 'Length of its vectors.';
comment on column thoth.substrate_embedding_models.centre is 'Fixed mean vector, subtracted before taking signs for the binary code.';
comment on column thoth.substrate_embedding_models.active is 'The one whose vectors recall searches.';
comment on column thoth.substrate_embedding_models.registered_at is 'When it was first used.';

create table thoth.substrate_passage_vectors (
    tenant_id text not null,
    passage_id bigint not null,
    kind text not null check (kind in ('turn', 'window')),
    model text not null,
    embedding halfvec not null,
    code bit(1536) not null,
    primary key (tenant_id, model, passage_id, kind)
) partition by hash (tenant_id);
alter table thoth.substrate_passage_vectors alter embedding set storage plain;
comment on table thoth.substrate_passage_vectors is 'Insert-only vectors beside the passages: filling a vector column by update costs a dozen times more.';
comment on column thoth.substrate_passage_vectors.tenant_id is 'Owner of the row.';
comment on column thoth.substrate_passage_vectors.passage_id is 'The passage.';
comment on column thoth.substrate_passage_vectors.kind is 'turn: the passage alone; window: with the turn before it, for short turns.';
comment on column thoth.substrate_passage_vectors.model is 'Who made it.';
comment on column thoth.substrate_passage_vectors.embedding is 'Unit vector in the model''s native dimension.';
comment on column thoth.substrate_passage_vectors.code is 'Signs of (embedding - centre of the model), zero-padded to 1536 bits.';

create table thoth.substrate_postings (
    tenant_id text not null,
    term text not null,
    passage_id bigint not null,
    count smallint not null,
    length integer not null,
    primary key (tenant_id, term, passage_id) include (count, length)
) partition by hash (tenant_id);
comment on table thoth.substrate_postings is 'The inverted index for BM25. Postings, because under row-level security a full-text operator is not leakproof and would scan.';
comment on column thoth.substrate_postings.tenant_id is 'Owner of the row.';
comment on column thoth.substrate_postings.term is 'Stemmed, unaccented word; bigram where script has no word spaces.';
comment on column thoth.substrate_postings.passage_id is 'The passage it occurs in.';
comment on column thoth.substrate_postings.count is 'How often it occurs there, count.';
comment on column thoth.substrate_postings.length is 'Terms in that passage, count.';

create table thoth.substrate_terms (
    tenant_id text not null,
    term text not null,
    passages integer not null check (passages >= 0),
    primary key (tenant_id, term)
) partition by hash (tenant_id);
comment on table thoth.substrate_terms is 'In how many passages each term occurs.';
comment on column thoth.substrate_terms.tenant_id is 'Owner of the row.';
comment on column thoth.substrate_terms.term is 'The term.';
comment on column thoth.substrate_terms.passages is 'Passages it occurs in, count.';

create table thoth.substrate_text_stats (
    tenant_id text primary key,
    passages bigint not null default 0,
    total_length bigint not null default 0
) with (fillfactor = 50);
comment on table thoth.substrate_text_stats is 'What BM25 needs to know of a tenant.';
comment on column thoth.substrate_text_stats.tenant_id is 'Owner of the row.';
comment on column thoth.substrate_text_stats.passages is 'Passages, count.';
comment on column thoth.substrate_text_stats.total_length is 'Terms in all of them, count.';

create table thoth.substrate_vector_stats (
    tenant_id text not null,
    model text not null,
    vectors bigint not null default 0,
    turns bigint not null default 0,
    sum real[] not null,
    primary key (tenant_id, model)
) with (fillfactor = 50);
comment on table thoth.substrate_vector_stats is 'A tenant''s mean vector, kept as a sum: questions are centred by it.';
comment on column thoth.substrate_vector_stats.tenant_id is 'Owner of the row.';
comment on column thoth.substrate_vector_stats.model is 'Whose vectors.';
comment on column thoth.substrate_vector_stats.vectors is 'Vectors of every kind, count.';
comment on column thoth.substrate_vector_stats.turns is 'Vectors of kind turn, count.';
comment on column thoth.substrate_vector_stats.sum is 'Sum of the vectors of kind turn.';

create table thoth.substrate_floors (
    tenant_id text not null,
    model text not null,
    calibrated_at timestamptz not null default thoth.substrate_now(),
    passages bigint not null,
    floor jsonb not null,
    primary key (tenant_id, model)
);
comment on table thoth.substrate_floors is 'The tenant''s relevance floor, calibrated without labels from its own slices.';
comment on column thoth.substrate_floors.tenant_id is 'Owner of the row.';
comment on column thoth.substrate_floors.model is 'With whose vectors; empty for keyword only.';
comment on column thoth.substrate_floors.calibrated_at is 'When.';
comment on column thoth.substrate_floors.passages is 'Passages there were then, count.';
comment on column thoth.substrate_floors.floor is 'Parameters of the floor, as recall/floor.py writes them.';

do $$
declare
    parent text;
    remainder integer;
    options text;
begin
    foreach parent in array array['substrate_salience', 'substrate_passages', 'substrate_passage_vectors', 'substrate_postings', 'substrate_terms'] loop
        options := case parent
            when 'substrate_salience' then 'fillfactor = 80'
            when 'substrate_terms' then 'fillfactor = 70'
            else 'fillfactor = 100' end;
        for remainder in 0..15 loop
            execute format('create table thoth.%I partition of thoth.%I for values with (modulus 16, remainder %s) with (%s)',
                parent || '_h' || lpad(remainder::text, 2, '0'), parent, remainder, options);
        end loop;
    end loop;
    for remainder in 0..15 loop
        -- Names and rare words spelt nearly so: GiST keeps its index under row-level security where % does not.
        -- Partial, so that `term = …` can never take it: its equality is a hundred times dearer than the primary key's, and costed the same.
        execute format('create index on thoth.%I using gist (term gist_trgm_ops) where length(term) > 2',
            'substrate_terms_h' || lpad(remainder::text, 2, '0'));
        execute format('create index on thoth.%I using hnsw (code bit_hamming_ops)', 'substrate_passage_vectors_h' || lpad(remainder::text, 2, '0'));
    end loop;
end $$;

-- ── Recall's log ────────────────────────────────────────────────────────────────────────────────────────────────────

create table thoth.substrate_recall_log (
    tenant_id text not null,
    recall_id uuid not null,
    asked_at timestamptz not null,
    session_id text,
    query_hash bytea not null,
    query_excerpt text not null,
    config_hash bytea not null,
    deadline_ms integer not null,
    took_ms real not null,
    tokens integer not null,
    empty_reason text check (empty_reason in ('disabled', 'timeout', 'no_candidates', 'below_floor', 'trivial_query', 'token_budget_exhausted', 'error')),
    legs jsonb not null,
    candidates jsonb not null,
    shown jsonb not null,
    detail jsonb not null default '{}',
    primary key (tenant_id, recall_id, asked_at)
) partition by range (asked_at);
create index substrate_recall_log_recent on thoth.substrate_recall_log (tenant_id, asked_at);
comment on table thoth.substrate_recall_log is 'One row a recall, also for the empty and the failed, by month.';
comment on column thoth.substrate_recall_log.tenant_id is 'Owner of the row.';
comment on column thoth.substrate_recall_log.recall_id is 'UUIDv7 of the recall.';
comment on column thoth.substrate_recall_log.asked_at is 'When it was asked.';
comment on column thoth.substrate_recall_log.session_id is 'The session that asked.';
comment on column thoth.substrate_recall_log.query_hash is 'SHA-256 of the question.';
comment on column thoth.substrate_recall_log.query_excerpt is 'Its first 200 characters, secrets redacted.';
comment on column thoth.substrate_recall_log.config_hash is 'Hash of the settings that ranked it.';
comment on column thoth.substrate_recall_log.deadline_ms is 'Deadline it was given, ms.';
comment on column thoth.substrate_recall_log.took_ms is 'Time it took, ms.';
comment on column thoth.substrate_recall_log.tokens is 'Tokens of the block, count (cl100k).';
comment on column thoth.substrate_recall_log.empty_reason is 'Why nothing was injected; null when something was.';
comment on column thoth.substrate_recall_log.legs is 'Each leg''s state, rows and time (ms).';
comment on column thoth.substrate_recall_log.candidates is 'The best 50 with the parts of their scores, and counts of the rest.';
comment on column thoth.substrate_recall_log.shown is 'What was injected: handle, slice_id, passage_no.';
comment on column thoth.substrate_recall_log.detail is 'The floor''s evidence and whatever else explains the answer.';

-- ── Workers and the diary ───────────────────────────────────────────────────────────────────────────────────────────

create table thoth.substrate_agents (
    agent text primary key,
    level text not null default 'FULL' check (level in ('OFF', 'LOW', 'MEDIUM', 'FULL')),
    override_level text check (override_level in ('OFF', 'LOW', 'MEDIUM', 'FULL')),
    override_until timestamptz,
    lease_holder text,
    lease_token bigint not null default 0,
    lease_until timestamptz not null default '-infinity',
    alive_since timestamptz,
    heartbeat_at timestamptz,
    ticks bigint not null default 0,
    last_report jsonb,
    last_failure text,
    last_failure_at timestamptz,
    cursor jsonb not null default '{}'
) with (fillfactor = 50);
comment on table thoth.substrate_agents is 'One row for each worker or crew member: its level, its lease, its heartbeat, where it stands.';
comment on column thoth.substrate_agents.agent is 'Name.';
comment on column thoth.substrate_agents.level is 'How hard it may work.';
comment on column thoth.substrate_agents.override_level is 'The operator''s word, which wins until override_until.';
comment on column thoth.substrate_agents.override_until is 'End of the override; infinity until taken back.';
comment on column thoth.substrate_agents.lease_holder is 'Host and process that hold the lease.';
comment on column thoth.substrate_agents.lease_token is 'Fencing token: grows with each new holder.';
comment on column thoth.substrate_agents.lease_until is 'When the lease ends unless renewed.';
comment on column thoth.substrate_agents.alive_since is 'Since when heartbeats have come without a gap: the wait of pending slices counts from here.';
comment on column thoth.substrate_agents.heartbeat_at is 'Last sign of life.';
comment on column thoth.substrate_agents.ticks is 'Ticks that did something, count.';
comment on column thoth.substrate_agents.last_report is 'What the last such tick reported.';
comment on column thoth.substrate_agents.last_failure is 'What the last failed tick said.';
comment on column thoth.substrate_agents.last_failure_at is 'When it failed.';
comment on column thoth.substrate_agents.cursor is 'Where it stands, for agents that walk through something.';

create table thoth.substrate_audit_heads (
    tenant_id text primary key,
    seq bigint not null,
    head bytea not null
);
comment on table thoth.substrate_audit_heads is 'The newest link of each tenant''s chain of decisions.';
comment on column thoth.substrate_audit_heads.tenant_id is 'Owner of the chain.';
comment on column thoth.substrate_audit_heads.seq is 'Number of the newest decision, from 1.';
comment on column thoth.substrate_audit_heads.head is 'Its link: SHA-256 over the link before it and the digest of its payload.';

create table thoth.substrate_audit_anchors (
    tenant_id text not null,
    month date not null,
    first_seq bigint not null,
    last_seq bigint not null,
    first_prev bytea not null,
    last_link bytea not null,
    primary key (tenant_id, month)
);
comment on table thoth.substrate_audit_anchors is 'What a dropped month leaves of the chain, so that dropping it does not break the chain.';
comment on column thoth.substrate_audit_anchors.tenant_id is 'Owner of the chain.';
comment on column thoth.substrate_audit_anchors.month is 'First day of the month that was dropped.';
comment on column thoth.substrate_audit_anchors.first_seq is 'Number of its first decision.';
comment on column thoth.substrate_audit_anchors.last_seq is 'Number of its last decision.';
comment on column thoth.substrate_audit_anchors.first_prev is 'Link before its first decision.';
comment on column thoth.substrate_audit_anchors.last_link is 'Link of its last decision.';

create table thoth.substrate_imports (
    tenant_id text not null,
    source text not null,
    file_hash bytea not null,
    path text not null,
    position bigint not null default 0,
    size bigint not null,
    imported bigint not null default 0,
    skipped jsonb not null default '{}',
    finished_at timestamptz,
    updated_at timestamptz not null default thoth.substrate_now(),
    primary key (tenant_id, source, file_hash)
);
comment on table thoth.substrate_imports is 'How far each imported file has been read, so that an interrupted import goes on where it stood.';
comment on column thoth.substrate_imports.tenant_id is 'Owner of the row.';
comment on column thoth.substrate_imports.source is 'Format that read it.';
comment on column thoth.substrate_imports.file_hash is 'SHA-256 of the file''s first MiB and its size: the identity of a file that may be moved.';
comment on column thoth.substrate_imports.path is 'Where it was last read from.';
comment on column thoth.substrate_imports.position is 'Events read and durably written, count.';
comment on column thoth.substrate_imports.size is 'Size of the file, bytes.';
comment on column thoth.substrate_imports.imported is 'Events that became slices, count.';
comment on column thoth.substrate_imports.skipped is 'Reasons and counts of what was not taken.';
comment on column thoth.substrate_imports.finished_at is 'When the end was reached; null while under way.';
comment on column thoth.substrate_imports.updated_at is 'When this row was last written.';

-- ── Months ──────────────────────────────────────────────────────────────────────────────────────────────────────────

create function thoth.substrate_make_month(parent text, month date) returns boolean
    language plpgsql security definer set search_path = thoth, pg_temp set lock_timeout = '2s'
as $$
declare
    first date := date_trunc('month', month)::date;
    child text := format('%s_y%sm%s', parent, to_char(first, 'YYYY'), to_char(first, 'MM'));
begin
    if parent not in ('substrate_slices', 'substrate_salience_events', 'substrate_recall_log') then
        raise exception 'thoth: % is not kept by month', parent;
    end if;
    -- Two hosts may meet the same missing month at once: the second waits, then finds it there.
    perform pg_advisory_xact_lock(hashtext('thoth.' || child));
    if exists (select from pg_inherits where inhrelid = to_regclass('thoth.' || quote_ident(child))) then
        return false;
    end if;
    if to_regclass('thoth.' || quote_ident(child)) is null then
        -- Built aside and attached: CREATE … PARTITION OF would wait for every reader, and every writer behind it.
        execute format('create table thoth.%I (like thoth.%I including all)', child, parent);
        if parent = 'substrate_slices' then
            execute format('alter table thoth.%I set (fillfactor = 85)', child);
        end if;
    end if;
    -- A month that was detached and is needed again comes back with what it holds.
    execute format('alter table thoth.%I attach partition thoth.%I for values from (%L) to (%L)', parent, child,
        first::text || ' 00:00:00+00', (first + interval '1 month')::date::text || ' 00:00:00+00');
    return true;
end $$;
comment on function thoth.substrate_make_month(text, date) is 'Creates the partition of a month, or attaches it again, unless it is there; true when it did.';
revoke all on function thoth.substrate_make_month(text, date) from public;
grant execute on function thoth.substrate_make_month(text, date) to thoth_app, thoth_worker;

create function thoth.substrate_make_months(from_month date, ahead integer) returns integer
    language sql security definer set search_path = thoth, pg_temp
as $$
    select count(*) filter (where thoth.substrate_make_month(parent, (from_month + make_interval(months => n))::date))::integer
    from unnest(array['substrate_slices', 'substrate_salience_events', 'substrate_recall_log']) parent, generate_series(0, ahead) n
$$;
comment on function thoth.substrate_make_months(date, integer) is 'Creates a month and `ahead` more for everything kept by month; answers how many it made.';
revoke all on function thoth.substrate_make_months(date, integer) from public;
grant execute on function thoth.substrate_make_months(date, integer) to thoth_app, thoth_worker;

create function thoth.substrate_month_is_spent(child text) returns boolean
    language plpgsql stable security definer set search_path = thoth, pg_temp
as $$
declare
    parts text[] := regexp_match(child, '^(substrate_slices|substrate_salience_events|substrate_recall_log)_y(\d{4,})m(\d{2})$');
    ended timestamptz;
    living boolean;
begin
    if parts is null then
        raise exception 'thoth: % is not a month', child;
    end if;
    ended := (make_date(parts[2]::integer, parts[3]::integer, 1) + interval '1 month') at time zone 'UTC';
    if parts[1] <> 'substrate_slices' then
        return ended + (select expire_after from substrate_profiles where profile = 'log') <= substrate_now();
    end if;
    if ended + interval '1 day' > substrate_now() then
        return false;  -- a day's grace: hosts' clocks differ, and their journals may be late
    end if;
    -- Read past the parent, since it must be asked again once the month is detached.
    execute format('select exists (select from thoth.%I where released_at is null)', child) into living;
    return not living;
end $$;
comment on function thoth.substrate_month_is_spent(text) is 'Whether a month has ended and nothing in it is alive: all slices released or expired, or a log past its keeping.';
revoke all on function thoth.substrate_month_is_spent(text) from public;
grant execute on function thoth.substrate_month_is_spent(text) to thoth_worker;

create function thoth.substrate_mark_month(child text) returns boolean
    language plpgsql set search_path = thoth, pg_temp set lock_timeout = '2s'
as $$
declare
    spent boolean := substrate_month_is_spent(child);
begin
    execute format('comment on table thoth.%I is %L', child, case when spent then 'thoth: spent, to be dropped' end);
    return spent;
end $$;
comment on function thoth.substrate_mark_month(text) is 'Marks a spent month for dropping, so that one detached by somebody else is never taken for ours; clears the mark of a living one.';
revoke all on function thoth.substrate_mark_month(text) from public;

create function thoth.substrate_drop_month(child text) returns boolean
    language plpgsql set search_path = thoth, pg_temp set lock_timeout = '2s'
as $$
declare
    target regclass;
    parts text[] := regexp_match(child, '^(substrate_\w+)_y(\d{4,})m(\d{2})$');
begin
    perform pg_advisory_xact_lock(hashtext('thoth.' || child));
    target := to_regclass('thoth.' || quote_ident(child));
    if target is null or exists (select from pg_inherits where inhrelid = target)
       or obj_description(target, 'pg_class') is distinct from 'thoth: spent, to be dropped' then
        return false;
    end if;
    if substrate_mark_month(child) then
        execute format('drop table thoth.%I', child);
        return true;
    end if;
    -- Something came in while it was being detached, say from a journal that was late: nothing is lost, it goes back.
    perform substrate_make_month(parts[1], make_date(parts[2]::integer, parts[3]::integer, 1));
    return false;
end $$;
comment on function thoth.substrate_drop_month(text) is 'Drops a month that is marked, detached and still spent; attaches it again when something in it is alive.';
revoke all on function thoth.substrate_drop_month(text) from public;

-- ── The handshake: released only after promotion ────────────────────────────────────────────────────────────────────

create function thoth.substrate_guard_release() returns trigger
    language plpgsql set search_path = thoth, pg_temp
as $$
begin
    if old.consolidation_state = 'consolidated' or new.forgotten then
        return new;
    end if;
    if exists (
        select from substrate_salience s join substrate_profiles p using (profile)
        where s.tenant_id = old.tenant_id and s.slice_id = old.slice_id
          and p.release_unconsolidated_after is not null
          and substrate_id_time(old.slice_id) + p.release_unconsolidated_after <= substrate_now()
    ) then
        return new;
    end if;
    raise exception 'thoth: slice % is neither consolidated nor forgotten and cannot be released', old.slice_id
        using errcode = 'check_violation';
end $$;
comment on function thoth.substrate_guard_release() is 'Refuses a release that is neither consolidated, forgotten, nor opted into by the profile.';

create trigger substrate_guard_release before update of consolidation_state on thoth.substrate_slices
    for each row when (new.consolidation_state = 'released' and old.consolidation_state <> 'released')
    execute function thoth.substrate_guard_release();

create function thoth.substrate_mark_releasable() returns trigger
    language plpgsql set search_path = thoth, pg_temp
as $$
begin
    update substrate_salience set releasable = true where tenant_id = new.tenant_id and slice_id = new.slice_id;
    delete from substrate_unconsolidated where tenant_id = new.tenant_id and slice_id = new.slice_id;
    return null;
end $$;
comment on function thoth.substrate_mark_releasable() is 'What is consolidated may fade away: its salience row enters the index of what is due.';

create trigger substrate_mark_releasable after update of consolidation_state on thoth.substrate_slices
    for each row when (new.consolidation_state = 'consolidated' and old.consolidation_state <> 'consolidated')
    execute function thoth.substrate_mark_releasable();

create function thoth.substrate_note_quarantine() returns trigger
    language plpgsql set search_path = thoth, pg_temp
as $$
begin
    if new.triage_state = 'quarantined' and new.consolidation_state <> 'released' then
        insert into substrate_quarantine (tenant_id, slice_id) values (new.tenant_id, new.slice_id) on conflict do nothing;
    else
        delete from substrate_quarantine where tenant_id = new.tenant_id and slice_id = new.slice_id;
    end if;
    return null;
end $$;
comment on function thoth.substrate_note_quarantine() is 'Keeps the list of what is in quarantine true, whoever moves the state.';

create trigger substrate_note_quarantine after update of triage_state, consolidation_state on thoth.substrate_slices
    for each row when (old.triage_state = 'quarantined' or new.triage_state = 'quarantined')
    execute function thoth.substrate_note_quarantine();

create function thoth.substrate_refuse_delete() returns trigger
    language plpgsql
as $$
begin
    raise exception 'thoth: slices are released or forgotten, never deleted'
        using errcode = 'restrict_violation', hint = 'thoth substrate forget <id>';
end $$;
comment on function thoth.substrate_refuse_delete() is 'Memory is never lost silently: rows of slices go only with their month.';

create trigger substrate_refuse_delete before delete on thoth.substrate_slices
    for each row execute function thoth.substrate_refuse_delete();

-- ── Row-level security ──────────────────────────────────────────────────────────────────────────────────────────────

do $$
declare
    target text;
begin
    foreach target in array array['substrate_tenants', 'substrate_slices', 'substrate_external_ids', 'substrate_pending', 'substrate_quarantine', 'substrate_unindexed',
        'substrate_unembedded', 'substrate_unconsolidated', 'substrate_salience', 'substrate_salience_events', 'substrate_sessions',
        'substrate_passages', 'substrate_passage_vectors', 'substrate_postings', 'substrate_terms', 'substrate_text_stats',
        'substrate_vector_stats', 'substrate_floors', 'substrate_recall_log', 'substrate_audit_heads', 'substrate_audit_anchors',
        'substrate_imports'] loop
        execute format('alter table thoth.%I enable row level security', target);
        execute format('alter table thoth.%I force row level security', target);
        execute format('create policy tenant on thoth.%I to thoth_app using (tenant_id = thoth.substrate_tenant()) with check (tenant_id = thoth.substrate_tenant())', target);
    end loop;
    -- The workers' role sees every tenant, but only queues, states, salience and months: no content.
    foreach target in array array['substrate_tenants', 'substrate_slices', 'substrate_pending', 'substrate_quarantine', 'substrate_unindexed', 'substrate_unembedded',
        'substrate_unconsolidated', 'substrate_salience', 'substrate_salience_events', 'substrate_recall_log', 'substrate_text_stats',
        'substrate_vector_stats', 'substrate_floors', 'substrate_audit_anchors'] loop
        execute format('create policy every_tenant on thoth.%I to thoth_worker using (true) with check (true)', target);
    end loop;
end $$;

grant select on thoth.substrate_profiles, thoth.substrate_streams, thoth.substrate_embedding_models, thoth.substrate_agents to thoth_app, thoth_worker;
grant insert, update on thoth.substrate_profiles, thoth.substrate_streams, thoth.substrate_embedding_models to thoth_app, thoth_worker;
grant insert, update on thoth.substrate_agents to thoth_app, thoth_worker;

grant select, insert on thoth.substrate_tenants to thoth_app;
grant select, insert, update on thoth.substrate_slices to thoth_app;
grant select, insert, update, delete on thoth.substrate_external_ids, thoth.substrate_pending, thoth.substrate_unindexed,
    thoth.substrate_unembedded, thoth.substrate_unconsolidated, thoth.substrate_salience, thoth.substrate_sessions, thoth.substrate_passages,
    thoth.substrate_passage_vectors, thoth.substrate_postings, thoth.substrate_terms, thoth.substrate_text_stats, thoth.substrate_vector_stats,
    thoth.substrate_floors, thoth.substrate_imports to thoth_app;
grant select, insert, delete on thoth.substrate_salience_events to thoth_app;
grant select, insert, update on thoth.substrate_recall_log, thoth.substrate_audit_heads to thoth_app;
grant select, insert on thoth.substrate_audit_anchors to thoth_app;
grant select, insert, delete on thoth.substrate_quarantine to thoth_app, thoth_worker;
grant usage on sequence thoth.substrate_passage_ids to thoth_app;

grant select on thoth.substrate_tenants, thoth.substrate_text_stats, thoth.substrate_vector_stats, thoth.substrate_floors to thoth_worker;
grant select (tenant_id, slice_id, ingest_time, stream_id, trust, triage_state, triage_reason, consolidation_state, forgotten, released_at)
    on thoth.substrate_slices to thoth_worker;
grant update (trust, triage_state, triage_reason) on thoth.substrate_slices to thoth_worker;
grant select, insert, update, delete on thoth.substrate_pending, thoth.substrate_unindexed, thoth.substrate_unembedded,
    thoth.substrate_unconsolidated to thoth_worker;
grant select on thoth.substrate_salience, thoth.substrate_salience_events to thoth_worker;
grant select (tenant_id, recall_id, asked_at) on thoth.substrate_recall_log to thoth_worker;
grant select, insert on thoth.substrate_audit_anchors to thoth_worker;

select thoth.substrate_make_months(date_trunc('month', thoth.substrate_now() at time zone 'UTC')::date, 3);
