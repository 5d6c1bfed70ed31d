-- Knowledge: layers 1 to 4, the handshake's verdicts, the crew's queues and ledger, purge receipts.
-- Only adds: new tables, and columns with constant defaults on a queue, which rewrite nothing.
-- One instant for a whole statement: the function is declared stable, and an entry of the diary was digested at another one than
-- it was stored with.
create or replace function thoth.substrate_now() returns timestamptz
    language sql stable parallel safe
    return coalesce(nullif(current_setting('thoth.now', true), '')::timestamptz, statement_timestamp());

create sequence thoth.substrate_row_ids as bigint cache 20;
comment on sequence thoth.substrate_row_ids is 'Numbers of knowledge rows, one sequence for all layers, so that a number names one row.';

create table thoth.substrate_entities (
    tenant_id text not null,
    entity_id bigint not null default nextval('thoth.substrate_row_ids'),
    kind text not null,
    name text not null,
    norm text not null,
    summary text not null default '',
    first_seen timestamptz not null,
    last_seen timestamptz not null,
    confidence real not null default 1.0 check (confidence between 0 and 1),
    merged_into bigint,
    asserted_at timestamptz not null default thoth.substrate_now(),
    retracted_at timestamptz,
    retract_reason text,
    agent text not null,
    model text not null default '',
    decision_id uuid,
    embedding halfvec,
    embedding_model text,
    primary key (tenant_id, entity_id)
);
comment on table thoth.substrate_entities is 'Layer 1: who and what the tenant''s world holds. A merged one stays, and points to the one that goes on.';
comment on column thoth.substrate_entities.tenant_id is 'The tenant.';
comment on column thoth.substrate_entities.entity_id is 'Its number, drawn from one sequence for all layers.';
comment on column thoth.substrate_entities.kind is 'person, place, organisation, thing, event, topic …';
comment on column thoth.substrate_entities.name is 'As it was first written.';
comment on column thoth.substrate_entities.norm is 'The name as it is compared: folded, unaccented, single spaces.';
comment on column thoth.substrate_entities.summary is 'What is known of it, in a sentence or two.';
comment on column thoth.substrate_entities.first_seen is 'Event time of the first slice that names it.';
comment on column thoth.substrate_entities.last_seen is 'Event time of the last slice that names it.';
comment on column thoth.substrate_entities.confidence is 'How sure it is that this is one entity, 0..1.';
comment on column thoth.substrate_entities.merged_into is 'The entity that stands for it; null while it stands for itself.';
comment on column thoth.substrate_entities.asserted_at is 'When the mind began to hold it.';
comment on column thoth.substrate_entities.retracted_at is 'When the mind ceased to hold it.';
comment on column thoth.substrate_entities.retract_reason is 'Why.';
comment on column thoth.substrate_entities.agent is 'The agent that proposed it.';
comment on column thoth.substrate_entities.model is 'The model that the agent asked; empty when it asked none.';
comment on column thoth.substrate_entities.decision_id is 'The diary''s entry that made it.';
comment on column thoth.substrate_entities.embedding is 'Vector of name and summary, for resolution; null without an embedder.';
comment on column thoth.substrate_entities.embedding_model is 'The model that made it.';

create table thoth.substrate_entity_aliases (
    tenant_id text not null,
    norm text not null,
    entity_id bigint not null,
    alias text not null,
    added_at timestamptz not null default thoth.substrate_now(),
    decision_id uuid,
    primary key (tenant_id, norm, entity_id)
);
comment on table thoth.substrate_entity_aliases is 'Every name by which an entity is found, in any script.';
comment on column thoth.substrate_entity_aliases.tenant_id is 'The tenant.';
comment on column thoth.substrate_entity_aliases.norm is 'The alias as it is compared.';
comment on column thoth.substrate_entity_aliases.entity_id is 'Whose name it is.';
comment on column thoth.substrate_entity_aliases.alias is 'As it was written.';
comment on column thoth.substrate_entity_aliases.added_at is 'When it was learned.';
comment on column thoth.substrate_entity_aliases.decision_id is 'The diary''s entry that made it.';

create table thoth.substrate_entity_merges (
    tenant_id text not null,
    merge_id bigint not null default nextval('thoth.substrate_row_ids'),
    kept_id bigint not null,
    merged_id bigint not null,
    moved_ids bigint[] not null,
    reason text not null,
    merged_at timestamptz not null default thoth.substrate_now(),
    undone_at timestamptz,
    decision_id uuid,
    primary key (tenant_id, merge_id)
);
comment on table thoth.substrate_entity_merges is 'Each merge of two entities, with what is needed to undo it.';
comment on column thoth.substrate_entity_merges.tenant_id is 'The tenant.';
comment on column thoth.substrate_entity_merges.merge_id is 'Its number.';
comment on column thoth.substrate_entity_merges.kept_id is 'The entity that goes on.';
comment on column thoth.substrate_entity_merges.merged_id is 'The entity that it now stands for.';
comment on column thoth.substrate_entity_merges.moved_ids is 'Entities that pointed to the merged one before, and now point to the kept one.';
comment on column thoth.substrate_entity_merges.reason is 'The evidence.';
comment on column thoth.substrate_entity_merges.merged_at is 'When.';
comment on column thoth.substrate_entity_merges.undone_at is 'When it was taken back.';
comment on column thoth.substrate_entity_merges.decision_id is 'The diary''s entry that made it.';

create table thoth.substrate_relationships (
    tenant_id text not null,
    relationship_id bigint not null default nextval('thoth.substrate_row_ids'),
    subject_id bigint not null,
    predicate text not null,
    object_id bigint,
    object_text text not null,
    object_norm text not null,
    negated boolean not null default false,
    functional boolean not null default false,
    statement text not null,
    valid_from timestamptz not null,
    valid_to timestamptz,
    asserted_at timestamptz not null default thoth.substrate_now(),
    retracted_at timestamptz,
    retract_reason text,
    superseded_by bigint,
    stated_confidence real not null check (stated_confidence between 0 and 1),
    confidence real not null check (confidence between 0 and 1),
    agent text not null,
    model text not null default '',
    decision_id uuid,
    primary key (tenant_id, relationship_id),
    check (valid_to is null or valid_to >= valid_from)
);
comment on table thoth.substrate_relationships is 'Layer 1: facts. Bi-temporal: valid in the world, asserted in the mind. Rows are retracted, never edited.';
comment on column thoth.substrate_relationships.tenant_id is 'The tenant.';
comment on column thoth.substrate_relationships.relationship_id is 'Its number.';
comment on column thoth.substrate_relationships.subject_id is 'The entity that it is about.';
comment on column thoth.substrate_relationships.predicate is 'Normalised, snake_case.';
comment on column thoth.substrate_relationships.object_id is 'The entity that it leads to; null when the object is a value.';
comment on column thoth.substrate_relationships.object_text is 'The object as a name or value.';
comment on column thoth.substrate_relationships.object_norm is 'The object as it is compared.';
comment on column thoth.substrate_relationships.negated is 'The fact is that it is not so.';
comment on column thoth.substrate_relationships.functional is 'A subject has one such object at a time: a newer one supersedes.';
comment on column thoth.substrate_relationships.statement is 'The fact as a sentence.';
comment on column thoth.substrate_relationships.valid_from is 'Since when it is so in the world; from the source''s event time, never from the clock.';
comment on column thoth.substrate_relationships.valid_to is 'Until when; null while it is so.';
comment on column thoth.substrate_relationships.asserted_at is 'When the mind began to hold it.';
comment on column thoth.substrate_relationships.retracted_at is 'When the mind ceased to hold it, or to hold it in this form.';
comment on column thoth.substrate_relationships.retract_reason is 'superseded, corrected, contradicted, ended, purged …, and by what.';
comment on column thoth.substrate_relationships.superseded_by is 'The relationship that took its place.';
comment on column thoth.substrate_relationships.stated_confidence is 'As the model said, 0..1.';
comment on column thoth.substrate_relationships.confidence is 'Recalibrated, 0..1.';
comment on column thoth.substrate_relationships.agent is 'The agent that proposed it.';
comment on column thoth.substrate_relationships.model is 'The model that the agent asked.';
comment on column thoth.substrate_relationships.decision_id is 'The diary''s entry that made it.';

create table thoth.substrate_citations (
    tenant_id text not null,
    row_id bigint not null,
    slice_id uuid not null,
    passage_no smallint not null,
    quote_start integer not null,
    quote text not null,
    content_hash bytea not null,
    event_time timestamptz not null,
    session_id text not null default '',
    actor text not null default '',
    cited_at timestamptz not null default thoth.substrate_now(),
    decision_id uuid,
    primary key (tenant_id, row_id, slice_id, passage_no, quote_start)
);
comment on table thoth.substrate_citations is 'What a row of any layer rests on in perception: a span of a slice, kept in the words it had. They outlive the slice''s text.';
comment on column thoth.substrate_citations.tenant_id is 'The tenant.';
comment on column thoth.substrate_citations.row_id is 'The entity, relationship, pattern or observation.';
comment on column thoth.substrate_citations.slice_id is 'The slice.';
comment on column thoth.substrate_citations.passage_no is 'Which of its passages holds the quote.';
comment on column thoth.substrate_citations.quote_start is 'Where the quote begins in the slice''s text, in characters.';
comment on column thoth.substrate_citations.quote is 'The quoted span, as it stands in the source.';
comment on column thoth.substrate_citations.content_hash is 'The slice''s content hash when it was cited.';
comment on column thoth.substrate_citations.event_time is 'The slice''s event time.';
comment on column thoth.substrate_citations.session_id is 'The slice''s session.';
comment on column thoth.substrate_citations.actor is 'Who said or did it.';
comment on column thoth.substrate_citations.cited_at is 'When.';
comment on column thoth.substrate_citations.decision_id is 'The diary''s entry that made it.';

create table thoth.substrate_supports (
    tenant_id text not null,
    row_id bigint not null,
    support_id bigint not null,
    primary key (tenant_id, row_id, support_id)
);
comment on table thoth.substrate_supports is 'What a row of a higher layer rests on in the lower ones.';
comment on column thoth.substrate_supports.tenant_id is 'The tenant.';
comment on column thoth.substrate_supports.row_id is 'The pattern or observation.';
comment on column thoth.substrate_supports.support_id is 'The fact, pattern or observation that it rests on.';

create table thoth.substrate_verdicts (
    tenant_id text not null,
    slice_id uuid not null,
    passage_no smallint not null,
    outcome text not null check (outcome in ('extracted', 'nothing', 'failed')),
    reason text not null default '',
    agent text not null,
    judged_at timestamptz not null default thoth.substrate_now(),
    decision_id uuid,
    primary key (tenant_id, slice_id, passage_no)
);
comment on table thoth.substrate_verdicts is 'What became of each passage: the handshake''s ledger. A slice is consolidated when every passage has a verdict that keeps nothing back.';
comment on column thoth.substrate_verdicts.tenant_id is 'The tenant.';
comment on column thoth.substrate_verdicts.slice_id is 'The slice.';
comment on column thoth.substrate_verdicts.passage_no is 'Its passage; -1 stands for a slice without any.';
comment on column thoth.substrate_verdicts.outcome is 'extracted (cited by a living row), nothing (to keep), failed (to be tried again).';
comment on column thoth.substrate_verdicts.reason is 'Why nothing, or why it failed.';
comment on column thoth.substrate_verdicts.agent is 'Whose verdict.';
comment on column thoth.substrate_verdicts.judged_at is 'When.';
comment on column thoth.substrate_verdicts.decision_id is 'The diary''s entry that made it.';

create table thoth.substrate_digests (
    tenant_id text not null,
    slice_id uuid not null,
    importance real not null check (importance between 0 and 1),
    topics text[] not null default '{}',
    summary text not null default '',
    model text not null default '',
    digested_at timestamptz not null default thoth.substrate_now(),
    decision_id uuid,
    primary key (tenant_id, slice_id)
);
comment on table thoth.substrate_digests is 'What the Parser says of a slice as a whole.';
comment on column thoth.substrate_digests.tenant_id is 'The tenant.';
comment on column thoth.substrate_digests.slice_id is 'The slice.';
comment on column thoth.substrate_digests.importance is '0..1; 0.5 is ordinary.';
comment on column thoth.substrate_digests.topics is 'Its topics, in lower case.';
comment on column thoth.substrate_digests.summary is 'A sentence.';
comment on column thoth.substrate_digests.model is 'The model asked.';
comment on column thoth.substrate_digests.digested_at is 'When.';
comment on column thoth.substrate_digests.decision_id is 'The diary''s entry that made it.';

create table thoth.substrate_statements (
    tenant_id text not null,
    row_id bigint not null,
    layer text not null check (layer in ('relationship', 'pattern', 'observation')),
    terms text[] not null,
    counts smallint[] not null,
    length integer not null,
    embedding halfvec,
    embedding_model text,
    primary key (tenant_id, row_id)
);
comment on table thoth.substrate_statements is 'What can be found of layers 1 to 3: the words and the vector of each living sentence.';
comment on column thoth.substrate_statements.tenant_id is 'The tenant.';
comment on column thoth.substrate_statements.row_id is 'The relationship, pattern or observation.';
comment on column thoth.substrate_statements.layer is 'The table of the row.';
comment on column thoth.substrate_statements.terms is 'Its distinct terms, sorted, with those of its entities'' names.';
comment on column thoth.substrate_statements.counts is 'How often each occurs.';
comment on column thoth.substrate_statements.length is 'Number of terms.';
comment on column thoth.substrate_statements.embedding is 'Its vector; null until it was embedded.';
comment on column thoth.substrate_statements.embedding_model is 'The model that made it.';

create table thoth.substrate_statement_postings (
    tenant_id text not null,
    term text not null,
    row_id bigint not null,
    count smallint not null,
    length integer not null,
    primary key (tenant_id, term, row_id) include (count, length)
);
comment on table thoth.substrate_statement_postings is 'Which statements hold a term: BM25 over knowledge.';
comment on column thoth.substrate_statement_postings.tenant_id is 'The tenant.';
comment on column thoth.substrate_statement_postings.term is 'The term.';
comment on column thoth.substrate_statement_postings.row_id is 'The statement.';
comment on column thoth.substrate_statement_postings.count is 'How often.';
comment on column thoth.substrate_statement_postings.length is 'The statement''s number of terms.';

create table thoth.substrate_unassociated (
    tenant_id text not null,
    entity_id bigint not null,
    queued_at timestamptz not null default thoth.substrate_now(),
    primary key (tenant_id, entity_id)
) with (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 5000);
comment on table thoth.substrate_unassociated is 'Queue: entities whose facts changed since their associations were computed.';
comment on column thoth.substrate_unassociated.tenant_id is 'The tenant.';
comment on column thoth.substrate_unassociated.entity_id is 'The entity.';
comment on column thoth.substrate_unassociated.queued_at is 'Since when.';

create table thoth.substrate_associations (
    tenant_id text not null,
    left_id bigint not null,
    right_id bigint not null,
    weight real not null check (weight between 0 and 1),
    together integer not null,
    linked integer not null,
    shared integer not null,
    computed_at timestamptz not null default thoth.substrate_now(),
    primary key (tenant_id, left_id, right_id),
    check (left_id < right_id)
);
comment on table thoth.substrate_associations is 'Layer 2: how strongly two entities hang together. The weight is a function of the facts, computed anew, never added to.';
comment on column thoth.substrate_associations.tenant_id is 'The tenant.';
comment on column thoth.substrate_associations.left_id is 'The smaller entity number.';
comment on column thoth.substrate_associations.right_id is 'The greater one.';
comment on column thoth.substrate_associations.weight is '0..1.';
comment on column thoth.substrate_associations.together is 'Slices that cite both.';
comment on column thoth.substrate_associations.linked is 'Living relationships between them.';
comment on column thoth.substrate_associations.shared is 'Neighbours that they share.';
comment on column thoth.substrate_associations.computed_at is 'When.';

create table thoth.substrate_communities (
    tenant_id text not null,
    entity_id bigint not null,
    community_id bigint not null,
    computed_at timestamptz not null default thoth.substrate_now(),
    primary key (tenant_id, entity_id)
);
comment on table thoth.substrate_communities is 'Layer 2: entities that hang together, by their strongest associations.';
comment on column thoth.substrate_communities.tenant_id is 'The tenant.';
comment on column thoth.substrate_communities.entity_id is 'The entity.';
comment on column thoth.substrate_communities.community_id is 'The smallest entity number of its community.';
comment on column thoth.substrate_communities.computed_at is 'When.';

create table thoth.substrate_patterns (
    tenant_id text not null,
    pattern_id bigint not null default nextval('thoth.substrate_row_ids'),
    kind text not null check (kind in ('pattern', 'insight', 'synthesis')),
    statement text not null,
    norm text not null,
    community_id bigint,
    rewordings integer not null default 0,
    valid_from timestamptz not null,
    valid_to timestamptz not null,
    stated_confidence real not null check (stated_confidence between 0 and 1),
    confidence real not null check (confidence between 0 and 1),
    asserted_at timestamptz not null default thoth.substrate_now(),
    retracted_at timestamptz,
    retract_reason text,
    agent text not null,
    model text not null default '',
    decision_id uuid,
    primary key (tenant_id, pattern_id)
);
comment on table thoth.substrate_patterns is 'Layer 3: what holds across facts. Each rests on at least two (substrate_supports).';
comment on column thoth.substrate_patterns.tenant_id is 'The tenant.';
comment on column thoth.substrate_patterns.pattern_id is 'Its number.';
comment on column thoth.substrate_patterns.kind is 'pattern (Pattern-finder), insight or synthesis (Reflector).';
comment on column thoth.substrate_patterns.statement is 'The sentence.';
comment on column thoth.substrate_patterns.norm is 'As it is compared with rewordings.';
comment on column thoth.substrate_patterns.community_id is 'The community that it came from.';
comment on column thoth.substrate_patterns.rewordings is 'How often it was proposed anew in other words.';
comment on column thoth.substrate_patterns.valid_from is 'Event time of its oldest support.';
comment on column thoth.substrate_patterns.valid_to is 'Event time of its newest support.';
comment on column thoth.substrate_patterns.stated_confidence is 'As the model said.';
comment on column thoth.substrate_patterns.confidence is 'Recalibrated.';
comment on column thoth.substrate_patterns.asserted_at is 'When the mind began to hold it.';
comment on column thoth.substrate_patterns.retracted_at is 'When it ceased to.';
comment on column thoth.substrate_patterns.retract_reason is 'Why.';
comment on column thoth.substrate_patterns.agent is 'The agent.';
comment on column thoth.substrate_patterns.model is 'The model asked.';
comment on column thoth.substrate_patterns.decision_id is 'The diary''s entry that made it.';

create table thoth.substrate_observations (
    tenant_id text not null,
    observation_id bigint not null default nextval('thoth.substrate_row_ids'),
    kind text not null check (kind in ('coherence', 'self', 'dream', 'question', 'test')),
    statement text not null default '',
    score real,
    detail jsonb not null default '{}',
    observed_at timestamptz not null default thoth.substrate_now(),
    retracted_at timestamptz,
    retract_reason text,
    agent text not null,
    model text not null default '',
    decision_id uuid,
    primary key (tenant_id, observation_id)
);
comment on table thoth.substrate_observations is 'Layer 4: what the mind notes of itself: coherence over time, its self-model, and the log of dreams.';
comment on column thoth.substrate_observations.tenant_id is 'The tenant.';
comment on column thoth.substrate_observations.observation_id is 'Its number.';
comment on column thoth.substrate_observations.kind is 'coherence (a measurement), self (a statement about the mind), dream, and the question or test it proposed.';
comment on column thoth.substrate_observations.statement is 'The sentence; empty for a measurement.';
comment on column thoth.substrate_observations.score is 'The scalar of a measurement, 0..1.';
comment on column thoth.substrate_observations.detail is 'Parts with their numbers of observations; a dream''s seed.';
comment on column thoth.substrate_observations.observed_at is 'When.';
comment on column thoth.substrate_observations.retracted_at is 'When it ceased to hold.';
comment on column thoth.substrate_observations.retract_reason is 'Why.';
comment on column thoth.substrate_observations.agent is 'The agent.';
comment on column thoth.substrate_observations.model is 'The model asked.';
comment on column thoth.substrate_observations.decision_id is 'The diary''s entry that made it.';

create table thoth.substrate_outcomes (
    tenant_id text not null,
    row_id bigint not null,
    outcome text not null check (outcome in ('corroborated', 'contradicted', 'corrected')),
    by_id bigint not null,
    noted_at timestamptz not null default thoth.substrate_now(),
    primary key (tenant_id, row_id, outcome, by_id)
);
comment on table thoth.substrate_outcomes is 'What later befell a fact: the evidence of calibration.';
comment on column thoth.substrate_outcomes.tenant_id is 'The tenant.';
comment on column thoth.substrate_outcomes.row_id is 'The fact.';
comment on column thoth.substrate_outcomes.outcome is 'What befell it. A change in the world is none of these.';
comment on column thoth.substrate_outcomes.by_id is 'The relationship that did; the fact itself when a citation of another session did.';
comment on column thoth.substrate_outcomes.noted_at is 'When.';

create table thoth.substrate_calibration (
    tenant_id text not null,
    agent text not null,
    model text not null,
    predicate text not null,
    bin smallint not null check (bin between 0 and 9),
    scored integer not null,
    held integer not null,
    stated_sum double precision not null,
    squares double precision not null,
    computed_at timestamptz not null default thoth.substrate_now(),
    primary key (tenant_id, agent, model, predicate, bin)
);
comment on table thoth.substrate_calibration is 'Layer 4: how right stated confidences were, in ten bins. A function of facts and outcomes, computed anew.';
comment on column thoth.substrate_calibration.tenant_id is 'The tenant.';
comment on column thoth.substrate_calibration.agent is 'Whose confidences.';
comment on column thoth.substrate_calibration.model is 'The model that stated them.';
comment on column thoth.substrate_calibration.predicate is 'Of facts with this predicate; * of all.';
comment on column thoth.substrate_calibration.bin is 'Stated confidence, in tenths.';
comment on column thoth.substrate_calibration.scored is 'Facts that have an outcome.';
comment on column thoth.substrate_calibration.held is 'Of these, corroborated.';
comment on column thoth.substrate_calibration.stated_sum is 'Sum of their stated confidences.';
comment on column thoth.substrate_calibration.squares is 'Sum of squared errors (Brier).';
comment on column thoth.substrate_calibration.computed_at is 'When.';

create table thoth.substrate_dead_letters (
    tenant_id text not null,
    agent text not null,
    slice_id uuid not null,
    attempts smallint not null,
    failure text not null,
    since timestamptz not null default thoth.substrate_now(),
    primary key (tenant_id, agent, slice_id)
);
comment on table thoth.substrate_dead_letters is 'What an agent gave up after its last attempt; revived by `thoth substrate <agent> retry`.';
comment on column thoth.substrate_dead_letters.tenant_id is 'The tenant.';
comment on column thoth.substrate_dead_letters.agent is 'The agent.';
comment on column thoth.substrate_dead_letters.slice_id is 'The slice.';
comment on column thoth.substrate_dead_letters.attempts is 'How often it was tried.';
comment on column thoth.substrate_dead_letters.failure is 'What went wrong the last time.';
comment on column thoth.substrate_dead_letters.since is 'Since when.';

create table thoth.substrate_cursors (
    tenant_id text not null,
    agent text not null,
    position jsonb not null default '{}',
    moved_at timestamptz not null default thoth.substrate_now(),
    primary key (tenant_id, agent)
);
comment on table thoth.substrate_cursors is 'How far an agent has read in a tenant''s memory, so that a restart goes on from there.';
comment on column thoth.substrate_cursors.tenant_id is 'The tenant.';
comment on column thoth.substrate_cursors.agent is 'The agent.';
comment on column thoth.substrate_cursors.position is 'As the agent writes it.';
comment on column thoth.substrate_cursors.moved_at is 'When it last moved.';

create table thoth.substrate_agent_cost (
    tenant_id text not null,
    call_id uuid not null,
    called_at timestamptz not null default thoth.substrate_now(),
    agent text not null,
    kind text not null check (kind in ('chat', 'embedding')),
    endpoint text not null,
    model text not null,
    reserved_tokens integer not null,
    reserved_usd double precision not null,
    prompt_tokens integer not null default 0,
    completion_tokens integer not null default 0,
    cached_tokens integer not null default 0,
    usd double precision not null default 0,
    latency_ms real not null default 0,
    outcome text not null default 'reserved' check (outcome in ('reserved', 'ok', 'salvaged', 'failed', 'abandoned')),
    reason text not null default '',
    settled_at timestamptz,
    decision_id uuid,
    primary key (tenant_id, call_id)
);
comment on table thoth.substrate_agent_cost is 'The ledger: one row for each call to a model, failed ones too.';
comment on column thoth.substrate_agent_cost.tenant_id is 'The tenant.';
comment on column thoth.substrate_agent_cost.call_id is 'The call (UUIDv7).';
comment on column thoth.substrate_agent_cost.called_at is 'When it began.';
comment on column thoth.substrate_agent_cost.agent is 'Who called.';
comment on column thoth.substrate_agent_cost.kind is 'What was asked for.';
comment on column thoth.substrate_agent_cost.endpoint is 'Where.';
comment on column thoth.substrate_agent_cost.model is 'Which model.';
comment on column thoth.substrate_agent_cost.reserved_tokens is 'What was set aside before the call, in tokens.';
comment on column thoth.substrate_agent_cost.reserved_usd is 'The same in US dollars.';
comment on column thoth.substrate_agent_cost.prompt_tokens is 'Tokens sent.';
comment on column thoth.substrate_agent_cost.completion_tokens is 'Tokens received.';
comment on column thoth.substrate_agent_cost.cached_tokens is 'Of the tokens sent, those the provider had cached.';
comment on column thoth.substrate_agent_cost.usd is 'What it cost, in US dollars, by the price table.';
comment on column thoth.substrate_agent_cost.latency_ms is 'How long it took, in ms.';
comment on column thoth.substrate_agent_cost.outcome is 'reserved while it runs; abandoned when its process died, and then counted in full.';
comment on column thoth.substrate_agent_cost.reason is 'Why it failed. Never holds content.';
comment on column thoth.substrate_agent_cost.settled_at is 'When its cost was known.';
comment on column thoth.substrate_agent_cost.decision_id is 'The diary''s entry that it led to.';

create table thoth.substrate_purges (
    tenant_id text not null,
    purge_id uuid not null,
    purged_at timestamptz not null default thoth.substrate_now(),
    slice_ids uuid[] not null,
    receipt jsonb not null,
    decision_id uuid,
    primary key (tenant_id, purge_id)
);
comment on table thoth.substrate_purges is 'Receipts: what was purged, by table, without a word of it.';
comment on column thoth.substrate_purges.tenant_id is 'The tenant.';
comment on column thoth.substrate_purges.purge_id is 'The receipt.';
comment on column thoth.substrate_purges.purged_at is 'When.';
comment on column thoth.substrate_purges.slice_ids is 'The slices.';
comment on column thoth.substrate_purges.receipt is 'Rows gone and rows derived anew, by table.';
comment on column thoth.substrate_purges.decision_id is 'The diary''s entry that made it.';

create table thoth.substrate_budgets (
    scope text not null,
    unit text not null check (unit in ('tokens_hour', 'usd_day')),
    starts_at timestamptz not null,
    reserved double precision not null default 0,
    spent double precision not null default 0,
    primary key (scope, unit, starts_at)
) with (fillfactor = 50);
comment on table thoth.substrate_budgets is 'What each window of each budget has spent and set aside. One row a window: the lock under which every call is admitted.';
comment on column thoth.substrate_budgets.scope is 'An agent, or * for all.';
comment on column thoth.substrate_budgets.unit is 'Tokens an hour, or US dollars a day.';
comment on column thoth.substrate_budgets.starts_at is 'The window''s beginning, by the clock, UTC.';
comment on column thoth.substrate_budgets.reserved is 'Set aside for calls that run.';
comment on column thoth.substrate_budgets.spent is 'Settled.';

create table thoth.substrate_endpoints (
    endpoint text primary key,
    state text not null default 'closed' check (state in ('closed', 'open', 'half_open')),
    failures integer not null default 0,
    opened_at timestamptz,
    retry_at timestamptz not null default '-infinity',
    opened integer not null default 0,
    last_ok_at timestamptz,
    last_failure text,
    last_failure_at timestamptz
) with (fillfactor = 50);
comment on table thoth.substrate_endpoints is 'The circuit breaker of each endpoint, shared by every process.';
comment on column thoth.substrate_endpoints.endpoint is 'Its base URL, without credentials.';
comment on column thoth.substrate_endpoints.state is 'closed (calls pass), open (none does), half_open (one probes).';
comment on column thoth.substrate_endpoints.failures is 'Failures in a row.';
comment on column thoth.substrate_endpoints.opened_at is 'When it opened.';
comment on column thoth.substrate_endpoints.retry_at is 'From when one call may probe.';
comment on column thoth.substrate_endpoints.opened is 'How often it has opened.';
comment on column thoth.substrate_endpoints.last_ok_at is 'The last answer.';
comment on column thoth.substrate_endpoints.last_failure is 'What went wrong last. Never holds content.';
comment on column thoth.substrate_endpoints.last_failure_at is 'When.';

create table thoth.substrate_chat_models (
    endpoint text not null,
    model text not null,
    tier text not null check (tier in ('schema', 'tool', 'json')),
    learned_at timestamptz not null default thoth.substrate_now(),
    primary key (endpoint, model)
);
comment on table thoth.substrate_chat_models is 'Which way of asking for structure each model answered best.';
comment on column thoth.substrate_chat_models.endpoint is 'Where it is served.';
comment on column thoth.substrate_chat_models.model is 'The model.';
comment on column thoth.substrate_chat_models.tier is 'JSON-schema response format, forced tool call, or plain JSON.';
comment on column thoth.substrate_chat_models.learned_at is 'When.';

create index substrate_entities_norm on thoth.substrate_entities (tenant_id, norm);
create index substrate_entities_merged on thoth.substrate_entities (tenant_id, merged_into) where merged_into is not null;
create index substrate_entity_aliases_entity on thoth.substrate_entity_aliases (tenant_id, entity_id);
create index substrate_relationships_subject on thoth.substrate_relationships (tenant_id, subject_id, predicate);
create index substrate_relationships_object on thoth.substrate_relationships (tenant_id, object_id) where object_id is not null;
create index substrate_citations_slice on thoth.substrate_citations (tenant_id, slice_id);
create index substrate_supports_support on thoth.substrate_supports (tenant_id, support_id);
create index substrate_associations_right on thoth.substrate_associations (tenant_id, right_id);
create index substrate_communities_community on thoth.substrate_communities (tenant_id, community_id);
create index substrate_unassociated_queued on thoth.substrate_unassociated (queued_at);
create index substrate_patterns_community on thoth.substrate_patterns (tenant_id, community_id);
create index substrate_observations_kind on thoth.substrate_observations (tenant_id, kind, observed_at);
create index substrate_agent_cost_called on thoth.substrate_agent_cost (tenant_id, called_at);
create index substrate_agent_cost_running on thoth.substrate_agent_cost (called_at) where outcome = 'reserved';
create index substrate_dead_letters_since on thoth.substrate_dead_letters (agent, since);

-- ── Row-level security ──────────────────────────────────────────────────────────────────────────────────────────────
do $$
declare
    target text;
begin
    foreach target in array array['substrate_entities', 'substrate_entity_aliases', 'substrate_entity_merges', 'substrate_relationships', 'substrate_citations', 'substrate_supports', 'substrate_verdicts', 'substrate_digests', 'substrate_statements', 'substrate_statement_postings', 'substrate_unassociated', 'substrate_associations', 'substrate_communities', 'substrate_patterns', 'substrate_observations', 'substrate_outcomes', 'substrate_calibration', 'substrate_dead_letters', 'substrate_cursors', 'substrate_agent_cost', 'substrate_purges'] loop
        execute format('alter table thoth.%I enable row level security', target);
        execute format('alter table thoth.%I force row level security', target);
        execute format('create policy tenant on thoth.%I to thoth_app using (tenant_id = thoth.substrate_tenant()) with check (tenant_id = thoth.substrate_tenant())', target);
        execute format('grant select, insert, update, delete on thoth.%I to thoth_app', target);
    end loop;
    -- The workers' role sees every tenant's queues and costs, and no content.
    foreach target in array array['substrate_unassociated', 'substrate_dead_letters', 'substrate_agent_cost', 'substrate_cursors', 'substrate_observations'] loop
        execute format('create policy every_tenant on thoth.%I to thoth_worker using (true) with check (true)', target);
    end loop;
end $$;
grant usage on sequence thoth.substrate_row_ids to thoth_app;
grant select, insert, update, delete on thoth.substrate_unassociated to thoth_worker;
grant select (tenant_id, agent, slice_id, attempts, since) on thoth.substrate_dead_letters to thoth_worker;
grant select, delete on thoth.substrate_agent_cost to thoth_worker;
grant update (outcome, settled_at, prompt_tokens, usd, reason) on thoth.substrate_agent_cost to thoth_worker;
grant select on thoth.substrate_cursors to thoth_worker;
grant select (tenant_id, kind, score, observed_at) on thoth.substrate_observations to thoth_worker;
grant select, insert, update, delete on thoth.substrate_budgets, thoth.substrate_endpoints, thoth.substrate_chat_models to thoth_app, thoth_worker;
-- The Conductor weighs how long recalls take; what was asked stays out of its sight.
grant select (took_ms, deadline_ms, empty_reason) on thoth.substrate_recall_log to thoth_worker;

-- ── Levels ──────────────────────────────────────────────────────────────────────────────────────────────────────────
create function thoth.substrate_intensity(level text, override_level text, override_until timestamptz) returns text
    language plpgsql stable set search_path = thoth, pg_temp
as $$
begin
    if override_level is not null and override_until > substrate_now() then
        return override_level;
    end if;
    -- A Conductor that is gone leaves no level behind that nobody would take back.
    if exists (select from substrate_agents c where c.agent = 'conductor' and c.heartbeat_at <= substrate_now() - interval '10 minutes') then
        return 'FULL';
    end if;
    return level;
end $$;
comment on function thoth.substrate_intensity(text, text, timestamptz) is 'How hard a worker may work now: the operator''s word, else the Conductor''s while it lives, else FULL.';

-- ── The queue ───────────────────────────────────────────────────────────────────────────────────────────────────────
-- Last, as its lock is held to the end of the transaction: readers and writers of the queue wait for an instant.
alter table thoth.substrate_unconsolidated
    add column attempts smallint not null default 0,
    add column not_before timestamptz not null default '-infinity',
    add column claimed_until timestamptz not null default '-infinity',
    add column claim uuid,
    add column failure text;
comment on column thoth.substrate_unconsolidated.attempts is 'How often an agent tried in vain.';
comment on column thoth.substrate_unconsolidated.not_before is 'The next attempt is not before this.';
comment on column thoth.substrate_unconsolidated.claimed_until is 'Until when a claim lasts; then another worker may take it.';
comment on column thoth.substrate_unconsolidated.claim is 'Whose claim (fencing): what is promoted under another is refused.';
comment on column thoth.substrate_unconsolidated.failure is 'What went wrong the last time.';
