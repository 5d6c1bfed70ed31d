-- The subconscious index: what is going on, as keywords that point to where it was met. It holds no content and no summary, and
-- everything in it expires: keywords and sources go with their concept.

create table thoth.substrate_concepts (
    tenant_id text not null,
    concept_id bigint not null default nextval('thoth.substrate_row_ids'),
    expires_at timestamptz not null,
    made_at timestamptz not null default thoth.substrate_now(),
    renewed_at timestamptz not null default thoth.substrate_now(),
    decision_id uuid,
    primary key (tenant_id, concept_id)
);
comment on table thoth.substrate_concepts is 'Topics that are going on, until they expire.';
comment on column thoth.substrate_concepts.tenant_id is 'The tenant.';
comment on column thoth.substrate_concepts.concept_id is 'Its number.';
comment on column thoth.substrate_concepts.expires_at is 'When it goes, with its keywords and sources; extended, never shortened by the Indexer.';
comment on column thoth.substrate_concepts.made_at is 'When it was first noted.';
comment on column thoth.substrate_concepts.renewed_at is 'When it was last noted: of two that a topic overlaps alike, the fresher is extended.';
comment on column thoth.substrate_concepts.decision_id is 'The diary''s entry that noted it last; null when somebody noted it by hand.';

create table thoth.substrate_keywords (
    tenant_id text not null,
    concept_id bigint not null,
    keyword text not null,
    term text not null,
    last_at timestamptz not null,
    primary key (tenant_id, concept_id, keyword, term),
    foreign key (tenant_id, concept_id) references thoth.substrate_concepts on delete cascade
);
comment on table thoth.substrate_keywords is 'What a concept is found by: a row for each term of each keyword.';
comment on column thoth.substrate_keywords.tenant_id is 'The tenant.';
comment on column thoth.substrate_keywords.concept_id is 'The concept.';
comment on column thoth.substrate_keywords.keyword is 'One to three words, in lower-case English.';
comment on column thoth.substrate_keywords.term is 'One of its terms, as keyword search has them: stemmed, without accents.';
comment on column thoth.substrate_keywords.last_at is 'When it was last spoken of, by the time of the event.';

create table thoth.substrate_sources (
    tenant_id text not null,
    concept_id bigint not null,
    type text not null check (type ~ '^[a-z][a-z0-9_-]{0,31}$'),
    ref text not null,
    from_time timestamptz not null,
    to_time timestamptz not null,
    primary key (tenant_id, concept_id, type, ref),
    foreign key (tenant_id, concept_id) references thoth.substrate_concepts on delete cascade,
    check (to_time >= from_time)
);
comment on table thoth.substrate_sources is 'Where a concept was met: a window of time of a conversation here, or of something outside.';
comment on column thoth.substrate_sources.tenant_id is 'The tenant.';
comment on column thoth.substrate_sources.concept_id is 'The concept.';
comment on column thoth.substrate_sources.type is 'conversation (of slices here); anything else, such as mail or channel, is outside.';
comment on column thoth.substrate_sources.ref is 'Of a conversation its stream and session, stream/session; of anything else its id there.';
comment on column thoth.substrate_sources.from_time is 'When it was first spoken of there, by the time of the event.';
comment on column thoth.substrate_sources.to_time is 'When it was last.';

create index substrate_concepts_expiry on thoth.substrate_concepts (expires_at);
create index substrate_keywords_term on thoth.substrate_keywords (tenant_id, term, concept_id);
create index substrate_sources_ref on thoth.substrate_sources (tenant_id, type, ref);

do $$
declare
    target text;
begin
    foreach target in array array['substrate_concepts', 'substrate_keywords', 'substrate_sources'] loop
        execute format('alter table thoth.%I enable row level security', target);
        execute format('alter table thoth.%I force row level security', target);
        execute format('create policy tenant on thoth.%I to thoth_app using (tenant_id = thoth.substrate_tenant()) with check (tenant_id = thoth.substrate_tenant())', target);
        execute format('grant select, insert, update, delete on thoth.%I to thoth_app', target);
    end loop;
end $$;
-- The workers' role sweeps what has expired, of every tenant, and sees no keyword.
create policy every_tenant on thoth.substrate_concepts to thoth_worker using (true) with check (true);
grant select (tenant_id, concept_id, expires_at), delete on thoth.substrate_concepts to thoth_worker;
