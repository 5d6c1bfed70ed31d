-- The whole schema as it stands, written by `make schema` from the migrations: do not edit. Partitions by month are left
-- out, as they depend on the day. It needs the extensions vector, pg_trgm and pgcrypto, and the roles thoth_app and
-- thoth_worker.

set check_function_bodies = off;
create schema thoth;
comment on schema thoth is 'Thoth: an agent''s memory. Its tables may share a database with others.';
grant usage on schema thoth to thoth_app;
grant usage on schema thoth to thoth_worker;

create sequence thoth.substrate_item_numbers as bigint cache 1;
comment on sequence thoth.substrate_item_numbers is 'Numbers of changes to items: growing in the order in which one store''s log is written, so without a cache.';
grant usage on sequence thoth.substrate_item_numbers to thoth_app;

create sequence thoth.substrate_passage_ids as bigint cache 50;
comment on sequence thoth.substrate_passage_ids is 'Short ids of passages: a posting then takes 8 bytes where a slice id and a number would take 18.';
grant usage on sequence thoth.substrate_passage_ids to thoth_app;

create sequence thoth.substrate_row_ids as bigint cache 20;
comment on sequence thoth.substrate_row_ids is 'Numbers of knowledge rows, one sequence for all layers, so that a number names one row.';
grant usage on sequence thoth.substrate_row_ids to thoth_app;

CREATE OR REPLACE FUNCTION thoth.substrate_now()
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN COALESCE((NULLIF(current_setting('thoth.now'::text, true), ''::text))::timestamp with time zone, statement_timestamp());
comment on function thoth.substrate_now() is 'The one clock of SQL: the instant pinned by the transaction, else the server''s clock.';

CREATE OR REPLACE FUNCTION thoth.substrate_tenant()
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN current_setting('thoth.tenant'::text, true);
comment on function thoth.substrate_tenant() is 'The tenant of this transaction: the key of row-level security.';

CREATE OR REPLACE FUNCTION thoth.substrate_id_time(id uuid)
 RETURNS timestamp with time zone
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN ('1970-01-01 00:00:00+00'::timestamp with time zone + ('00:00:00.001'::interval * (((('x'::text || substr(replace((id)::text, '-'::text, ''::text), 1, 12)))::bit(48))::bigint)::double precision));
comment on function thoth.substrate_id_time(uuid) is 'The ingest time (ms) that a slice id carries, so that a look-up by id prunes to one month.';

CREATE OR REPLACE FUNCTION thoth.substrate_level(anchor real, anchored_at timestamp with time zone, half_life interval)
 RETURNS double precision
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (anchor * power((2.0)::double precision, GREATEST(((- GREATEST(date_part('epoch'::text, (thoth.substrate_now() - anchored_at)), (0.0)::double precision)) / date_part('epoch'::text, half_life)), ('-1000.0'::numeric)::double precision)));
comment on function thoth.substrate_level(real,timestamp with time zone,interval) is 'Salience now, 0..1, from its anchor; bounded below, since PostgreSQL raises on underflow.';

CREATE OR REPLACE FUNCTION thoth.substrate_level(anchor real, anchored_at timestamp with time zone, half_life interval, pinned boolean)
 RETURNS double precision
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN CASE WHEN pinned THEN (anchor)::double precision ELSE thoth.substrate_level(anchor, anchored_at, half_life) END;
comment on function thoth.substrate_level(real,timestamp with time zone,interval,boolean) is 'Salience now of a slice that may be pinned: then its anchor holds, and time takes nothing from it.';

CREATE OR REPLACE FUNCTION thoth.substrate_fades_at(anchor real, anchored_at timestamp with time zone, half_life interval, floor real)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (anchored_at + make_interval(secs => (date_part('epoch'::text, half_life) * CASE WHEN (anchor > floor) THEN ((ln((anchor)::double precision) - ln((floor)::double precision)) / ln((2.0)::double precision)) ELSE (0.0)::double precision END)));
comment on function thoth.substrate_fades_at(real,timestamp with time zone,interval,real) is 'When a level falls below the floor, from its anchor; the anchor''s own instant when it already has.';

CREATE OR REPLACE FUNCTION thoth.substrate_make_month(parent text, month date)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'thoth', 'pg_temp'
 SET lock_timeout TO '2s'
AS $function$
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
end $function$;
comment on function thoth.substrate_make_month(text,date) is 'Creates the partition of a month, or attaches it again, unless it is there; true when it did.';
revoke all on function thoth.substrate_make_month(text,date) from public;
grant execute on function thoth.substrate_make_month(text,date) to thoth_app;
grant execute on function thoth.substrate_make_month(text,date) to thoth_worker;

CREATE OR REPLACE FUNCTION thoth.substrate_make_months(from_month date, ahead integer)
 RETURNS integer
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'thoth', 'pg_temp'
AS $function$
    select count(*) filter (where thoth.substrate_make_month(parent, (from_month + make_interval(months => n))::date))::integer
    from unnest(array['substrate_slices', 'substrate_salience_events', 'substrate_recall_log']) parent, generate_series(0, ahead) n
$function$;
comment on function thoth.substrate_make_months(date,integer) is 'Creates a month and `ahead` more for everything kept by month; answers how many it made.';
revoke all on function thoth.substrate_make_months(date,integer) from public;
grant execute on function thoth.substrate_make_months(date,integer) to thoth_app;
grant execute on function thoth.substrate_make_months(date,integer) to thoth_worker;

CREATE OR REPLACE FUNCTION thoth.substrate_month_is_spent(child text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'thoth', 'pg_temp'
AS $function$
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
end $function$;
comment on function thoth.substrate_month_is_spent(text) is 'Whether a month has ended and nothing in it is alive: all slices released or expired, or a log past its keeping.';
revoke all on function thoth.substrate_month_is_spent(text) from public;
grant execute on function thoth.substrate_month_is_spent(text) to thoth_worker;

CREATE OR REPLACE FUNCTION thoth.substrate_mark_month(child text)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO 'thoth', 'pg_temp'
 SET lock_timeout TO '2s'
AS $function$
declare
    spent boolean := substrate_month_is_spent(child);
begin
    execute format('comment on table thoth.%I is %L', child, case when spent then 'thoth: spent, to be dropped' end);
    return spent;
end $function$;
comment on function thoth.substrate_mark_month(text) is 'Marks a spent month for dropping, so that one detached by somebody else is never taken for ours; clears the mark of a living one.';
revoke all on function thoth.substrate_mark_month(text) from public;

CREATE OR REPLACE FUNCTION thoth.substrate_drop_month(child text)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO 'thoth', 'pg_temp'
 SET lock_timeout TO '2s'
AS $function$
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
end $function$;
comment on function thoth.substrate_drop_month(text) is 'Drops a month that is marked, detached and still spent; attaches it again when something in it is alive.';
revoke all on function thoth.substrate_drop_month(text) from public;

CREATE OR REPLACE FUNCTION thoth.substrate_guard_release()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'thoth', 'pg_temp'
AS $function$
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
end $function$;
comment on function thoth.substrate_guard_release() is 'Refuses a release that is neither consolidated, forgotten, nor opted into by the profile.';

CREATE OR REPLACE FUNCTION thoth.substrate_mark_releasable()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'thoth', 'pg_temp'
AS $function$
begin
    update substrate_salience set releasable = true where tenant_id = new.tenant_id and slice_id = new.slice_id;
    delete from substrate_unconsolidated where tenant_id = new.tenant_id and slice_id = new.slice_id;
    return null;
end $function$;
comment on function thoth.substrate_mark_releasable() is 'What is consolidated may fade away: its salience row enters the index of what is due.';

CREATE OR REPLACE FUNCTION thoth.substrate_note_quarantine()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'thoth', 'pg_temp'
AS $function$
begin
    if new.triage_state = 'quarantined' and new.consolidation_state <> 'released' then
        insert into substrate_quarantine (tenant_id, slice_id) values (new.tenant_id, new.slice_id) on conflict do nothing;
    else
        delete from substrate_quarantine where tenant_id = new.tenant_id and slice_id = new.slice_id;
    end if;
    return null;
end $function$;
comment on function thoth.substrate_note_quarantine() is 'Keeps the list of what is in quarantine true, whoever moves the state.';

CREATE OR REPLACE FUNCTION thoth.substrate_refuse_delete()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
    raise exception 'thoth: slices are released or forgotten, never deleted'
        using errcode = 'restrict_violation', hint = 'thoth substrate forget <id>';
end $function$;
comment on function thoth.substrate_refuse_delete() is 'Memory is never lost silently: rows of slices go only with their month.';

CREATE OR REPLACE FUNCTION thoth.substrate_intensity(level text, override_level text, override_until timestamp with time zone)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'thoth', 'pg_temp'
AS $function$
begin
    if override_level is not null and override_until > substrate_now() then
        return override_level;
    end if;
    -- A Conductor that is gone leaves no level behind that nobody would take back.
    if exists (select from substrate_agents c where c.agent = 'conductor' and c.heartbeat_at <= substrate_now() - interval '10 minutes') then
        return 'FULL';
    end if;
    return level;
end $function$;
comment on function thoth.substrate_intensity(text,text,timestamp with time zone) is 'How hard a worker may work now: the operator''s word, else the Conductor''s while it lives, else FULL.';

CREATE OR REPLACE FUNCTION thoth.substrate_unsay_item()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'thoth', 'pg_temp'
AS $function$
begin
    if tg_op = 'DELETE' or new.noted is distinct from old.noted then
        insert into substrate_items_unsaid (tenant_id, store, number) values (old.tenant_id, old.store, old.noted) on conflict do nothing;
    end if;
    return null;
end $function$;
comment on function thoth.substrate_unsay_item() is 'Notes whose words are to be forgotten, whoever replaced or took away the item.';

create table thoth.substrate_agent_cost (
    tenant_id text not null,
    call_id uuid not null,
    called_at timestamp with time zone default thoth.substrate_now() not null,
    agent text not null,
    kind text not null,
    endpoint text not null,
    model text not null,
    reserved_tokens integer not null,
    reserved_usd double precision not null,
    prompt_tokens integer default 0 not null,
    completion_tokens integer default 0 not null,
    cached_tokens integer default 0 not null,
    usd double precision default 0 not null,
    latency_ms real default 0 not null,
    outcome text default 'reserved'::text not null,
    reason text default ''::text not null,
    settled_at timestamp with time zone,
    decision_id uuid,
    constraint substrate_agent_cost_pkey PRIMARY KEY (tenant_id, call_id),
    constraint substrate_agent_cost_kind_check CHECK ((kind = ANY (ARRAY['chat'::text, 'embedding'::text]))),
    constraint substrate_agent_cost_outcome_check CHECK ((outcome = ANY (ARRAY['reserved'::text, 'ok'::text, 'salvaged'::text, 'failed'::text, 'abandoned'::text])))
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
CREATE INDEX substrate_agent_cost_called ON thoth.substrate_agent_cost USING btree (tenant_id, called_at);
CREATE INDEX substrate_agent_cost_running ON thoth.substrate_agent_cost USING btree (called_at) WHERE (outcome = 'reserved'::text);
alter table thoth.substrate_agent_cost enable row level security;
alter table thoth.substrate_agent_cost force row level security;
create policy every_tenant on thoth.substrate_agent_cost for all to thoth_worker using (true) with check (true);
create policy tenant on thoth.substrate_agent_cost for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant delete, insert, select, update on thoth.substrate_agent_cost to thoth_app;
grant delete, select, update (prompt_tokens, usd, outcome, reason, settled_at) on thoth.substrate_agent_cost to thoth_worker;

create table thoth.substrate_agents (
    agent text not null,
    level text default 'FULL'::text not null,
    override_level text,
    override_until timestamp with time zone,
    lease_holder text,
    lease_token bigint default 0 not null,
    lease_until timestamp with time zone default '-infinity'::timestamp with time zone not null,
    alive_since timestamp with time zone,
    heartbeat_at timestamp with time zone,
    ticks bigint default 0 not null,
    last_report jsonb,
    last_failure text,
    last_failure_at timestamp with time zone,
    cursor jsonb default '{}'::jsonb not null,
    constraint substrate_agents_pkey PRIMARY KEY (agent),
    constraint substrate_agents_level_check CHECK ((level = ANY (ARRAY['OFF'::text, 'LOW'::text, 'MEDIUM'::text, 'FULL'::text]))),
    constraint substrate_agents_override_level_check CHECK ((override_level = ANY (ARRAY['OFF'::text, 'LOW'::text, 'MEDIUM'::text, 'FULL'::text])))
) with (fillfactor=50);
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
grant insert, select, update on thoth.substrate_agents to thoth_app;
grant insert, select, update on thoth.substrate_agents to thoth_worker;

create table thoth.substrate_associations (
    tenant_id text not null,
    left_id bigint not null,
    right_id bigint not null,
    weight real not null,
    together integer not null,
    linked integer not null,
    shared integer not null,
    computed_at timestamp with time zone default thoth.substrate_now() not null,
    constraint substrate_associations_pkey PRIMARY KEY (tenant_id, left_id, right_id),
    constraint substrate_associations_check CHECK ((left_id < right_id)),
    constraint substrate_associations_weight_check CHECK (((weight >= (0)::double precision) AND (weight <= (1)::double precision)))
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
CREATE INDEX substrate_associations_right ON thoth.substrate_associations USING btree (tenant_id, right_id);
alter table thoth.substrate_associations enable row level security;
alter table thoth.substrate_associations force row level security;
create policy tenant on thoth.substrate_associations for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant delete, insert, select, update on thoth.substrate_associations to thoth_app;

create table thoth.substrate_audit_anchors (
    tenant_id text not null,
    month date not null,
    first_seq bigint not null,
    last_seq bigint not null,
    first_prev bytea not null,
    last_link bytea not null,
    constraint substrate_audit_anchors_pkey PRIMARY KEY (tenant_id, month)
);
comment on table thoth.substrate_audit_anchors is 'What a dropped month leaves of the chain, so that dropping it does not break the chain.';
comment on column thoth.substrate_audit_anchors.tenant_id is 'Owner of the chain.';
comment on column thoth.substrate_audit_anchors.month is 'First day of the month that was dropped.';
comment on column thoth.substrate_audit_anchors.first_seq is 'Number of its first decision.';
comment on column thoth.substrate_audit_anchors.last_seq is 'Number of its last decision.';
comment on column thoth.substrate_audit_anchors.first_prev is 'Link before its first decision.';
comment on column thoth.substrate_audit_anchors.last_link is 'Link of its last decision.';
alter table thoth.substrate_audit_anchors enable row level security;
alter table thoth.substrate_audit_anchors force row level security;
create policy every_tenant on thoth.substrate_audit_anchors for all to thoth_worker using (true) with check (true);
create policy tenant on thoth.substrate_audit_anchors for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant insert, select on thoth.substrate_audit_anchors to thoth_app;
grant insert, select on thoth.substrate_audit_anchors to thoth_worker;

create table thoth.substrate_audit_heads (
    tenant_id text not null,
    seq bigint not null,
    head bytea not null,
    constraint substrate_audit_heads_pkey PRIMARY KEY (tenant_id)
);
comment on table thoth.substrate_audit_heads is 'The newest link of each tenant''s chain of decisions.';
comment on column thoth.substrate_audit_heads.tenant_id is 'Owner of the chain.';
comment on column thoth.substrate_audit_heads.seq is 'Number of the newest decision, from 1.';
comment on column thoth.substrate_audit_heads.head is 'Its link: SHA-256 over the link before it and the digest of its payload.';
alter table thoth.substrate_audit_heads enable row level security;
alter table thoth.substrate_audit_heads force row level security;
create policy tenant on thoth.substrate_audit_heads for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant insert, select, update on thoth.substrate_audit_heads to thoth_app;

create table thoth.substrate_budgets (
    scope text not null,
    unit text not null,
    starts_at timestamp with time zone not null,
    reserved double precision default 0 not null,
    spent double precision default 0 not null,
    constraint substrate_budgets_pkey PRIMARY KEY (scope, unit, starts_at),
    constraint substrate_budgets_unit_check CHECK ((unit = ANY (ARRAY['tokens_hour'::text, 'usd_day'::text])))
) with (fillfactor=50);
comment on table thoth.substrate_budgets is 'What each window of each budget has spent and set aside. One row a window: the lock under which every call is admitted.';
comment on column thoth.substrate_budgets.scope is 'An agent, or * for all.';
comment on column thoth.substrate_budgets.unit is 'Tokens an hour, or US dollars a day.';
comment on column thoth.substrate_budgets.starts_at is 'The window''s beginning, by the clock, UTC.';
comment on column thoth.substrate_budgets.reserved is 'Set aside for calls that run.';
comment on column thoth.substrate_budgets.spent is 'Settled.';
grant delete, insert, select, update on thoth.substrate_budgets to thoth_app;
grant delete, insert, select, update on thoth.substrate_budgets to thoth_worker;

create table thoth.substrate_calibration (
    tenant_id text not null,
    agent text not null,
    model text not null,
    predicate text not null,
    bin smallint not null,
    scored integer not null,
    held integer not null,
    stated_sum double precision not null,
    squares double precision not null,
    computed_at timestamp with time zone default thoth.substrate_now() not null,
    constraint substrate_calibration_pkey PRIMARY KEY (tenant_id, agent, model, predicate, bin),
    constraint substrate_calibration_bin_check CHECK (((bin >= 0) AND (bin <= 9)))
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
alter table thoth.substrate_calibration enable row level security;
alter table thoth.substrate_calibration force row level security;
create policy tenant on thoth.substrate_calibration for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant delete, insert, select, update on thoth.substrate_calibration to thoth_app;

create table thoth.substrate_chat_models (
    endpoint text not null,
    model text not null,
    tier text not null,
    learned_at timestamp with time zone default thoth.substrate_now() not null,
    constraint substrate_chat_models_pkey PRIMARY KEY (endpoint, model),
    constraint substrate_chat_models_tier_check CHECK ((tier = ANY (ARRAY['schema'::text, 'tool'::text, 'json'::text])))
);
comment on table thoth.substrate_chat_models is 'Which way of asking for structure each model answered best.';
comment on column thoth.substrate_chat_models.endpoint is 'Where it is served.';
comment on column thoth.substrate_chat_models.model is 'The model.';
comment on column thoth.substrate_chat_models.tier is 'JSON-schema response format, forced tool call, or plain JSON.';
comment on column thoth.substrate_chat_models.learned_at is 'When.';
grant delete, insert, select, update on thoth.substrate_chat_models to thoth_app;
grant delete, insert, select, update on thoth.substrate_chat_models to thoth_worker;

create table thoth.substrate_citations (
    tenant_id text not null,
    row_id bigint not null,
    slice_id uuid not null,
    passage_no smallint not null,
    quote_start integer not null,
    quote text not null,
    content_hash bytea not null,
    event_time timestamp with time zone not null,
    session_id text default ''::text not null,
    actor text default ''::text not null,
    cited_at timestamp with time zone default thoth.substrate_now() not null,
    decision_id uuid,
    withdrawn_at timestamp with time zone,
    constraint substrate_citations_pkey PRIMARY KEY (tenant_id, row_id, slice_id, passage_no, quote_start)
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
comment on column thoth.substrate_citations.withdrawn_at is 'When its source was retired: the row rests on it no more; null while it does.';
CREATE INDEX substrate_citations_slice ON thoth.substrate_citations USING btree (tenant_id, slice_id);
alter table thoth.substrate_citations enable row level security;
alter table thoth.substrate_citations force row level security;
create policy tenant on thoth.substrate_citations for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant delete, insert, select, update on thoth.substrate_citations to thoth_app;

create table thoth.substrate_communities (
    tenant_id text not null,
    entity_id bigint not null,
    community_id bigint not null,
    computed_at timestamp with time zone default thoth.substrate_now() not null,
    constraint substrate_communities_pkey PRIMARY KEY (tenant_id, entity_id)
);
comment on table thoth.substrate_communities is 'Layer 2: entities that hang together, by their strongest associations.';
comment on column thoth.substrate_communities.tenant_id is 'The tenant.';
comment on column thoth.substrate_communities.entity_id is 'The entity.';
comment on column thoth.substrate_communities.community_id is 'The smallest entity number of its community.';
comment on column thoth.substrate_communities.computed_at is 'When.';
CREATE INDEX substrate_communities_community ON thoth.substrate_communities USING btree (tenant_id, community_id);
alter table thoth.substrate_communities enable row level security;
alter table thoth.substrate_communities force row level security;
create policy tenant on thoth.substrate_communities for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant delete, insert, select, update on thoth.substrate_communities to thoth_app;

create table thoth.substrate_concepts (
    tenant_id text not null,
    concept_id bigint default nextval('thoth.substrate_row_ids'::regclass) not null,
    expires_at timestamp with time zone not null,
    made_at timestamp with time zone default thoth.substrate_now() not null,
    renewed_at timestamp with time zone default thoth.substrate_now() not null,
    decision_id uuid,
    constraint substrate_concepts_pkey PRIMARY KEY (tenant_id, concept_id)
);
comment on table thoth.substrate_concepts is 'Topics that are going on, until they expire.';
comment on column thoth.substrate_concepts.tenant_id is 'The tenant.';
comment on column thoth.substrate_concepts.concept_id is 'Its number.';
comment on column thoth.substrate_concepts.expires_at is 'When it goes, with its keywords and sources; extended, never shortened by the Indexer.';
comment on column thoth.substrate_concepts.made_at is 'When it was first noted.';
comment on column thoth.substrate_concepts.renewed_at is 'When it was last noted: of two that a topic overlaps alike, the fresher is extended.';
comment on column thoth.substrate_concepts.decision_id is 'The diary''s entry that noted it last; null when somebody noted it by hand.';
CREATE INDEX substrate_concepts_expiry ON thoth.substrate_concepts USING btree (expires_at);
alter table thoth.substrate_concepts enable row level security;
alter table thoth.substrate_concepts force row level security;
create policy every_tenant on thoth.substrate_concepts for all to thoth_worker using (true) with check (true);
create policy tenant on thoth.substrate_concepts for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant delete, insert, select, update on thoth.substrate_concepts to thoth_app;
grant delete, select (tenant_id, concept_id, expires_at) on thoth.substrate_concepts to thoth_worker;

create table thoth.substrate_cursors (
    tenant_id text not null,
    agent text not null,
    position jsonb default '{}'::jsonb not null,
    moved_at timestamp with time zone default thoth.substrate_now() not null,
    constraint substrate_cursors_pkey PRIMARY KEY (tenant_id, agent)
);
comment on table thoth.substrate_cursors is 'How far an agent has read in a tenant''s memory, so that a restart goes on from there.';
comment on column thoth.substrate_cursors.tenant_id is 'The tenant.';
comment on column thoth.substrate_cursors.agent is 'The agent.';
comment on column thoth.substrate_cursors.position is 'As the agent writes it.';
comment on column thoth.substrate_cursors.moved_at is 'When it last moved.';
alter table thoth.substrate_cursors enable row level security;
alter table thoth.substrate_cursors force row level security;
create policy every_tenant on thoth.substrate_cursors for all to thoth_worker using (true) with check (true);
create policy tenant on thoth.substrate_cursors for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant delete, insert, select, update on thoth.substrate_cursors to thoth_app;
grant select on thoth.substrate_cursors to thoth_worker;

create table thoth.substrate_dead_letters (
    tenant_id text not null,
    agent text not null,
    slice_id uuid not null,
    attempts smallint not null,
    failure text not null,
    since timestamp with time zone default thoth.substrate_now() not null,
    constraint substrate_dead_letters_pkey PRIMARY KEY (tenant_id, agent, slice_id)
);
comment on table thoth.substrate_dead_letters is 'What an agent gave up after its last attempt; revived by `thoth substrate <agent> retry`.';
comment on column thoth.substrate_dead_letters.tenant_id is 'The tenant.';
comment on column thoth.substrate_dead_letters.agent is 'The agent.';
comment on column thoth.substrate_dead_letters.slice_id is 'The slice.';
comment on column thoth.substrate_dead_letters.attempts is 'How often it was tried.';
comment on column thoth.substrate_dead_letters.failure is 'What went wrong the last time.';
comment on column thoth.substrate_dead_letters.since is 'Since when.';
CREATE INDEX substrate_dead_letters_since ON thoth.substrate_dead_letters USING btree (agent, since);
alter table thoth.substrate_dead_letters enable row level security;
alter table thoth.substrate_dead_letters force row level security;
create policy every_tenant on thoth.substrate_dead_letters for all to thoth_worker using (true) with check (true);
create policy tenant on thoth.substrate_dead_letters for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant delete, insert, select, update on thoth.substrate_dead_letters to thoth_app;
grant select (tenant_id, agent, slice_id, attempts, since) on thoth.substrate_dead_letters to thoth_worker;

create table thoth.substrate_digests (
    tenant_id text not null,
    slice_id uuid not null,
    importance real not null,
    topics text[] default '{}'::text[] not null,
    summary text default ''::text not null,
    model text default ''::text not null,
    digested_at timestamp with time zone default thoth.substrate_now() not null,
    decision_id uuid,
    constraint substrate_digests_pkey PRIMARY KEY (tenant_id, slice_id),
    constraint substrate_digests_importance_check CHECK (((importance >= (0)::double precision) AND (importance <= (1)::double precision)))
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
alter table thoth.substrate_digests enable row level security;
alter table thoth.substrate_digests force row level security;
create policy tenant on thoth.substrate_digests for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant delete, insert, select, update on thoth.substrate_digests to thoth_app;

create table thoth.substrate_embedding_models (
    model text not null,
    dimensions smallint not null,
    centre real[] not null,
    active boolean default false not null,
    registered_at timestamp with time zone default thoth.substrate_now() not null,
    constraint substrate_embedding_models_pkey PRIMARY KEY (model),
    constraint substrate_embedding_models_dimensions_check CHECK (((dimensions >= 8) AND (dimensions <= 1536)))
);
comment on table thoth.substrate_embedding_models is 'Who made which vectors. The active one wins until `embed reembed`; a new key never switches it.';
comment on column thoth.substrate_embedding_models.model is 'provider:name.';
comment on column thoth.substrate_embedding_models.dimensions is 'Length of its vectors.';
comment on column thoth.substrate_embedding_models.centre is 'Fixed mean vector, subtracted before taking signs for the binary code.';
comment on column thoth.substrate_embedding_models.active is 'The one whose vectors recall searches.';
comment on column thoth.substrate_embedding_models.registered_at is 'When it was first used.';
CREATE UNIQUE INDEX substrate_embedding_models_active ON thoth.substrate_embedding_models USING btree (active) WHERE active;
grant insert, select, update on thoth.substrate_embedding_models to thoth_app;
grant insert, select, update on thoth.substrate_embedding_models to thoth_worker;

create table thoth.substrate_endpoints (
    endpoint text not null,
    state text default 'closed'::text not null,
    failures integer default 0 not null,
    opened_at timestamp with time zone,
    retry_at timestamp with time zone default '-infinity'::timestamp with time zone not null,
    opened integer default 0 not null,
    last_ok_at timestamp with time zone,
    last_failure text,
    last_failure_at timestamp with time zone,
    constraint substrate_endpoints_pkey PRIMARY KEY (endpoint),
    constraint substrate_endpoints_state_check CHECK ((state = ANY (ARRAY['closed'::text, 'open'::text, 'half_open'::text])))
) with (fillfactor=50);
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
grant delete, insert, select, update on thoth.substrate_endpoints to thoth_app;
grant delete, insert, select, update on thoth.substrate_endpoints to thoth_worker;

create table thoth.substrate_entities (
    tenant_id text not null,
    entity_id bigint default nextval('thoth.substrate_row_ids'::regclass) not null,
    kind text not null,
    name text not null,
    norm text not null,
    summary text default ''::text not null,
    first_seen timestamp with time zone not null,
    last_seen timestamp with time zone not null,
    confidence real default 1.0 not null,
    merged_into bigint,
    asserted_at timestamp with time zone default thoth.substrate_now() not null,
    retracted_at timestamp with time zone,
    retract_reason text,
    agent text not null,
    model text default ''::text not null,
    decision_id uuid,
    embedding public.halfvec,
    embedding_model text,
    constraint substrate_entities_pkey PRIMARY KEY (tenant_id, entity_id),
    constraint substrate_entities_confidence_check CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision)))
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
CREATE INDEX substrate_entities_merged ON thoth.substrate_entities USING btree (tenant_id, merged_into) WHERE (merged_into IS NOT NULL);
CREATE INDEX substrate_entities_norm ON thoth.substrate_entities USING btree (tenant_id, norm);
alter table thoth.substrate_entities enable row level security;
alter table thoth.substrate_entities force row level security;
create policy tenant on thoth.substrate_entities for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant delete, insert, select, update on thoth.substrate_entities to thoth_app;

create table thoth.substrate_entity_aliases (
    tenant_id text not null,
    norm text not null,
    entity_id bigint not null,
    alias text not null,
    added_at timestamp with time zone default thoth.substrate_now() not null,
    decision_id uuid,
    constraint substrate_entity_aliases_pkey PRIMARY KEY (tenant_id, norm, entity_id)
);
comment on table thoth.substrate_entity_aliases is 'Every name by which an entity is found, in any script.';
comment on column thoth.substrate_entity_aliases.tenant_id is 'The tenant.';
comment on column thoth.substrate_entity_aliases.norm is 'The alias as it is compared.';
comment on column thoth.substrate_entity_aliases.entity_id is 'Whose name it is.';
comment on column thoth.substrate_entity_aliases.alias is 'As it was written.';
comment on column thoth.substrate_entity_aliases.added_at is 'When it was learned.';
comment on column thoth.substrate_entity_aliases.decision_id is 'The diary''s entry that made it.';
CREATE INDEX substrate_entity_aliases_entity ON thoth.substrate_entity_aliases USING btree (tenant_id, entity_id);
alter table thoth.substrate_entity_aliases enable row level security;
alter table thoth.substrate_entity_aliases force row level security;
create policy tenant on thoth.substrate_entity_aliases for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant delete, insert, select, update on thoth.substrate_entity_aliases to thoth_app;

create table thoth.substrate_entity_merges (
    tenant_id text not null,
    merge_id bigint default nextval('thoth.substrate_row_ids'::regclass) not null,
    kept_id bigint not null,
    merged_id bigint not null,
    moved_ids bigint[] not null,
    reason text not null,
    merged_at timestamp with time zone default thoth.substrate_now() not null,
    undone_at timestamp with time zone,
    decision_id uuid,
    constraint substrate_entity_merges_pkey PRIMARY KEY (tenant_id, merge_id)
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
alter table thoth.substrate_entity_merges enable row level security;
alter table thoth.substrate_entity_merges force row level security;
create policy tenant on thoth.substrate_entity_merges for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant delete, insert, select, update on thoth.substrate_entity_merges to thoth_app;

create table thoth.substrate_external_ids (
    tenant_id text not null,
    source text not null,
    external_id text not null,
    slice_id uuid not null,
    constraint substrate_external_ids_pkey PRIMARY KEY (tenant_id, source, external_id)
);
comment on table thoth.substrate_external_ids is 'Makes imports idempotent: a unique index on a month-partitioned table cannot.';
comment on column thoth.substrate_external_ids.tenant_id is 'Owner of the row.';
comment on column thoth.substrate_external_ids.source is 'System the id belongs to.';
comment on column thoth.substrate_external_ids.external_id is 'Id in that system.';
comment on column thoth.substrate_external_ids.slice_id is 'The slice it became.';
alter table thoth.substrate_external_ids enable row level security;
alter table thoth.substrate_external_ids force row level security;
create policy tenant on thoth.substrate_external_ids for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant delete, insert, select, update on thoth.substrate_external_ids to thoth_app;

create table thoth.substrate_files (
    tenant_id text not null,
    file_id uuid not null,
    host text not null,
    root text not null,
    path text not null,
    state text default 'queued'::text not null,
    error text default ''::text not null,
    attempts smallint default 0 not null,
    not_before timestamp with time zone default '-infinity'::timestamp with time zone not null,
    claim uuid,
    size bigint not null,
    mtime_ns bigint not null,
    seen_sha256 bytea not null,
    seen_at timestamp with time zone default thoth.substrate_now() not null,
    version integer default 0 not null,
    kind text default ''::text not null,
    sha256 bytea,
    slice_ids uuid[] default '{}'::uuid[] not null,
    live_at timestamp with time zone,
    previous_sha256 bytea,
    constraint substrate_files_pkey PRIMARY KEY (tenant_id, file_id),
    constraint substrate_files_check CHECK (((state <> 'live'::text) OR ((sha256 IS NOT NULL) AND (sha256 = seen_sha256) AND (cardinality(slice_ids) > 0)))),
    constraint substrate_files_check1 CHECK (((state <> ALL (ARRAY['retired'::text, 'skipped'::text])) OR (cardinality(slice_ids) = 0))),
    constraint substrate_files_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'ingesting'::text, 'live'::text, 'failed'::text, 'skipped'::text, 'retired'::text])))
);
comment on table thoth.substrate_files is 'The files of watched folders: what lies there, how far it is taken in, and which slices are its live version.';
comment on column thoth.substrate_files.tenant_id is 'Whose memory it feeds.';
comment on column thoth.substrate_files.file_id is 'The file, whatever its path (UUIDv7). Its slices'' external ids are kept under it.';
comment on column thoth.substrate_files.host is 'The installation that watches it.';
comment on column thoth.substrate_files.root is 'The watched folder.';
comment on column thoth.substrate_files.path is 'Its path in that folder, with slashes.';
comment on column thoth.substrate_files.state is 'queued: to be taken in; ingesting: somebody does; live: what lies there is what answers; failed: tried, and tried again; skipped: nothing to take in, and why; retired: gone.';
comment on column thoth.substrate_files.error is 'Why it waits, failed or was skipped; empty otherwise.';
comment on column thoth.substrate_files.attempts is 'How often this version was tried in vain.';
comment on column thoth.substrate_files.not_before is 'The next attempt is not before this.';
comment on column thoth.substrate_files.claim is 'Whose attempt it is (fencing): what ends under another claim is refused.';
comment on column thoth.substrate_files.size is 'Size as last seen, in bytes.';
comment on column thoth.substrate_files.mtime_ns is 'Time of its last change as the file system tells it, in ns since 1970.';
comment on column thoth.substrate_files.seen_sha256 is 'SHA-256 of what was last seen to lie there.';
comment on column thoth.substrate_files.seen_at is 'When a change of it was last seen.';
comment on column thoth.substrate_files.version is 'Number of the version that is or was last taken in: the same content again later is another version.';
comment on column thoth.substrate_files.kind is 'As what it was read: text, markdown, pdf, …';
comment on column thoth.substrate_files.sha256 is 'SHA-256 of the live version; null when there is none.';
comment on column thoth.substrate_files.slice_ids is 'Slices of the live version, in the order of the file.';
comment on column thoth.substrate_files.live_at is 'When that version became live.';
comment on column thoth.substrate_files.previous_sha256 is 'SHA-256 of the version before it.';
CREATE INDEX substrate_files_due ON thoth.substrate_files USING btree (tenant_id, host, not_before) WHERE (state = ANY (ARRAY['queued'::text, 'failed'::text]));
CREATE INDEX substrate_files_retired ON thoth.substrate_files USING btree (tenant_id, seen_at) WHERE (state = 'retired'::text);
CREATE UNIQUE INDEX substrate_files_path ON thoth.substrate_files USING btree (tenant_id, host, root, path) WHERE (state <> 'retired'::text);
alter table thoth.substrate_files enable row level security;
alter table thoth.substrate_files force row level security;
create policy tenant on thoth.substrate_files for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant delete, insert, select, update on thoth.substrate_files to thoth_app;

create table thoth.substrate_floors (
    tenant_id text not null,
    model text not null,
    calibrated_at timestamp with time zone default thoth.substrate_now() not null,
    passages bigint not null,
    floor jsonb not null,
    constraint substrate_floors_pkey PRIMARY KEY (tenant_id, model)
);
comment on table thoth.substrate_floors is 'The tenant''s relevance floor, calibrated without labels from its own slices.';
comment on column thoth.substrate_floors.tenant_id is 'Owner of the row.';
comment on column thoth.substrate_floors.model is 'With whose vectors; empty for keyword only.';
comment on column thoth.substrate_floors.calibrated_at is 'When.';
comment on column thoth.substrate_floors.passages is 'Passages there were then, count.';
comment on column thoth.substrate_floors.floor is 'Parameters of the floor, as recall/floor.py writes them.';
alter table thoth.substrate_floors enable row level security;
alter table thoth.substrate_floors force row level security;
create policy every_tenant on thoth.substrate_floors for all to thoth_worker using (true) with check (true);
create policy tenant on thoth.substrate_floors for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant delete, insert, select, update on thoth.substrate_floors to thoth_app;
grant select on thoth.substrate_floors to thoth_worker;

create table thoth.substrate_idempotency_keys (
    tenant_id text not null,
    key text not null,
    request bytea not null,
    slice_id uuid,
    asked_at timestamp with time zone default thoth.substrate_now() not null,
    constraint substrate_idempotency_keys_pkey PRIMARY KEY (tenant_id, key),
    constraint substrate_idempotency_keys_request_check CHECK ((octet_length(request) = 8))
);
comment on table thoth.substrate_idempotency_keys is 'Requests that made a memory under a key of the client''s, for a day: a repeat gets the same answer.';
comment on column thoth.substrate_idempotency_keys.tenant_id is 'Owner of the row.';
comment on column thoth.substrate_idempotency_keys.key is 'SHA-256 of the client''s Idempotency-Key, in hexadecimal: nothing that a client puts into it is stored.';
comment on column thoth.substrate_idempotency_keys.request is 'First 8 bytes of the request''s SHA-256: tells whether a repeat asks for the same.';
comment on column thoth.substrate_idempotency_keys.slice_id is 'The slice that it made.';
comment on column thoth.substrate_idempotency_keys.asked_at is 'When it was first asked.';
CREATE INDEX substrate_idempotency_keys_asked ON thoth.substrate_idempotency_keys USING btree (tenant_id, asked_at);
CREATE INDEX substrate_idempotency_keys_slice ON thoth.substrate_idempotency_keys USING btree (tenant_id, slice_id);
alter table thoth.substrate_idempotency_keys enable row level security;
alter table thoth.substrate_idempotency_keys force row level security;
create policy tenant on thoth.substrate_idempotency_keys for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant delete, insert, select, update on thoth.substrate_idempotency_keys to thoth_app;

create table thoth.substrate_imports (
    tenant_id text not null,
    source text not null,
    file_hash bytea not null,
    path text not null,
    position bigint default 0 not null,
    size bigint not null,
    imported bigint default 0 not null,
    skipped jsonb default '{}'::jsonb not null,
    finished_at timestamp with time zone,
    updated_at timestamp with time zone default thoth.substrate_now() not null,
    constraint substrate_imports_pkey PRIMARY KEY (tenant_id, source, file_hash)
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
alter table thoth.substrate_imports enable row level security;
alter table thoth.substrate_imports force row level security;
create policy tenant on thoth.substrate_imports for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant delete, insert, select, update on thoth.substrate_imports to thoth_app;

create table thoth.substrate_item_vectors (
    tenant_id text not null,
    store text not null,
    path text not null,
    key text not null,
    field text not null,
    model text not null,
    embedding public.halfvec not null,
    constraint substrate_item_vectors_pkey PRIMARY KEY (tenant_id, store, path, key, field)
);
comment on table thoth.substrate_item_vectors is 'Vectors of the fields of items that are to be found by meaning.';
comment on column thoth.substrate_item_vectors.tenant_id is 'The tenant.';
comment on column thoth.substrate_item_vectors.store is 'Whose store.';
comment on column thoth.substrate_item_vectors.path is 'The item''s.';
comment on column thoth.substrate_item_vectors.key is 'The item''s.';
comment on column thoth.substrate_item_vectors.field is 'Where the text stands in the value: a path, and a number where it leads to several texts.';
comment on column thoth.substrate_item_vectors.model is 'Who made it. Vectors of different makers are never compared.';
comment on column thoth.substrate_item_vectors.embedding is 'The vector, in the model''s native dimension.';
alter table thoth.substrate_item_vectors enable row level security;
alter table thoth.substrate_item_vectors force row level security;
create policy tenant on thoth.substrate_item_vectors for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant delete, insert, select, update on thoth.substrate_item_vectors to thoth_app;

create table thoth.substrate_items (
    tenant_id text not null,
    store text not null,
    path text not null,
    key text not null,
    namespace text[] not null,
    value jsonb not null,
    number bigint default nextval('thoth.substrate_item_numbers'::regclass) not null,
    said text,
    noted bigint,
    created_at timestamp with time zone default thoth.substrate_now() not null,
    updated_at timestamp with time zone default thoth.substrate_now() not null,
    ttl interval,
    expires_at timestamp with time zone,
    constraint substrate_items_pkey PRIMARY KEY (tenant_id, store, path, key)
);
comment on table thoth.substrate_items is 'What hosts keep under names of their own. Never redacted and never faded: a store gives back what was put.';
comment on column thoth.substrate_items.tenant_id is 'The tenant.';
comment on column thoth.substrate_items.store is 'Whose store: langgraph, openai-agents. One host''s names never meet another''s.';
comment on column thoth.substrate_items.path is 'The namespace as one text, each label with a dot after it, so that a branch is one range. Arrays cannot be looked up behind row-level security: their operators are not leakproof.';
comment on column thoth.substrate_items.key is 'The name within the namespace. In a log: the number of the entry, padded, so that names sort as they came.';
comment on column thoth.substrate_items.namespace is 'Labels from the root down.';
comment on column thoth.substrate_items.value is 'As it was put.';
comment on column thoth.substrate_items.number is 'The last change. Orders items of one instant.';
comment on column thoth.substrate_items.said is 'SHA-256 of the words that were perceived of it; null when none are to be.';
comment on column thoth.substrate_items.noted is 'The change whose words were perceived: their external id. Null when none were.';
comment on column thoth.substrate_items.created_at is 'When the name was first put, or put anew after it was gone.';
comment on column thoth.substrate_items.updated_at is 'When it was last put.';
comment on column thoth.substrate_items.ttl is 'How long it lives after it was put, or last read by who asks for that; null for ever.';
comment on column thoth.substrate_items.expires_at is 'Until when. Then it may be swept.';
CREATE INDEX substrate_items_expires ON thoth.substrate_items USING btree (tenant_id, expires_at) WHERE (expires_at IS NOT NULL);
CREATE TRIGGER substrate_unsay_item AFTER DELETE OR UPDATE OF noted ON thoth.substrate_items FOR EACH ROW WHEN ((old.noted IS NOT NULL)) EXECUTE FUNCTION thoth.substrate_unsay_item();
alter table thoth.substrate_items enable row level security;
alter table thoth.substrate_items force row level security;
create policy tenant on thoth.substrate_items for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant delete, insert, select, update on thoth.substrate_items to thoth_app;

create table thoth.substrate_items_unsaid (
    tenant_id text not null,
    store text not null,
    number bigint not null,
    queued_at timestamp with time zone default thoth.substrate_now() not null,
    constraint substrate_items_unsaid_pkey PRIMARY KEY (tenant_id, store, number)
);
comment on table thoth.substrate_items_unsaid is 'Words of items that were replaced, deleted or swept, kept by a trigger until their slices are forgotten.';
comment on column thoth.substrate_items_unsaid.tenant_id is 'The tenant.';
comment on column thoth.substrate_items_unsaid.store is 'Whose store.';
comment on column thoth.substrate_items_unsaid.number is 'The change whose words are to be forgotten.';
comment on column thoth.substrate_items_unsaid.queued_at is 'Since when. After an hour without a slice there will be none.';
alter table thoth.substrate_items_unsaid enable row level security;
alter table thoth.substrate_items_unsaid force row level security;
create policy tenant on thoth.substrate_items_unsaid for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant delete, insert, select, update on thoth.substrate_items_unsaid to thoth_app;

create table thoth.substrate_keywords (
    tenant_id text not null,
    concept_id bigint not null,
    keyword text not null,
    term text not null,
    last_at timestamp with time zone not null,
    constraint substrate_keywords_pkey PRIMARY KEY (tenant_id, concept_id, keyword, term)
);
comment on table thoth.substrate_keywords is 'What a concept is found by: a row for each term of each keyword.';
comment on column thoth.substrate_keywords.tenant_id is 'The tenant.';
comment on column thoth.substrate_keywords.concept_id is 'The concept.';
comment on column thoth.substrate_keywords.keyword is 'One to three words, in lower-case English.';
comment on column thoth.substrate_keywords.term is 'One of its terms, as keyword search has them: stemmed, without accents.';
comment on column thoth.substrate_keywords.last_at is 'When it was last spoken of, by the time of the event.';
CREATE INDEX substrate_keywords_term ON thoth.substrate_keywords USING btree (tenant_id, term, concept_id);
alter table thoth.substrate_keywords enable row level security;
alter table thoth.substrate_keywords force row level security;
create policy tenant on thoth.substrate_keywords for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant delete, insert, select, update on thoth.substrate_keywords to thoth_app;

create table thoth.substrate_memory_versions (
    tenant_id text not null,
    slice_id uuid not null,
    replaces uuid not null,
    first_id uuid not null,
    version integer not null,
    changed_at timestamp with time zone default thoth.substrate_now() not null,
    changed_by text default ''::text not null,
    retired_at timestamp with time zone,
    constraint substrate_memory_versions_pkey PRIMARY KEY (tenant_id, slice_id),
    constraint substrate_memory_versions_check CHECK ((slice_id <> replaces)),
    constraint substrate_memory_versions_version_check CHECK ((version >= 2))
);
comment on table thoth.substrate_memory_versions is 'A memory that was changed: the slice that replaced another. The first version of a memory has no row.';
comment on column thoth.substrate_memory_versions.tenant_id is 'Owner of the row.';
comment on column thoth.substrate_memory_versions.slice_id is 'The newer version.';
comment on column thoth.substrate_memory_versions.replaces is 'The version before it, which is recalled no more.';
comment on column thoth.substrate_memory_versions.first_id is 'The first version: what a history is found by.';
comment on column thoth.substrate_memory_versions.version is 'Which version it is, count from 1.';
comment on column thoth.substrate_memory_versions.changed_at is 'When it was changed.';
comment on column thoth.substrate_memory_versions.changed_by is 'Who changed it: the token''s name, or the command.';
comment on column thoth.substrate_memory_versions.retired_at is 'When the version before was retired; null while that is still to be done.';
CREATE INDEX substrate_memory_versions_first ON thoth.substrate_memory_versions USING btree (tenant_id, first_id, version);
CREATE INDEX substrate_memory_versions_unretired ON thoth.substrate_memory_versions USING btree (tenant_id) WHERE (retired_at IS NULL);
CREATE UNIQUE INDEX substrate_memory_versions_replaces ON thoth.substrate_memory_versions USING btree (tenant_id, replaces);
alter table thoth.substrate_memory_versions enable row level security;
alter table thoth.substrate_memory_versions force row level security;
create policy every_tenant on thoth.substrate_memory_versions for all to thoth_worker using (true) with check (true);
create policy tenant on thoth.substrate_memory_versions for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant delete, insert, select, update on thoth.substrate_memory_versions to thoth_app;
grant select (tenant_id, slice_id, changed_at, retired_at) on thoth.substrate_memory_versions to thoth_worker;

create table thoth.substrate_observations (
    tenant_id text not null,
    observation_id bigint default nextval('thoth.substrate_row_ids'::regclass) not null,
    kind text not null,
    statement text default ''::text not null,
    score real,
    detail jsonb default '{}'::jsonb not null,
    observed_at timestamp with time zone default thoth.substrate_now() not null,
    retracted_at timestamp with time zone,
    retract_reason text,
    agent text not null,
    model text default ''::text not null,
    decision_id uuid,
    constraint substrate_observations_pkey PRIMARY KEY (tenant_id, observation_id),
    constraint substrate_observations_kind_check CHECK ((kind = ANY (ARRAY['coherence'::text, 'self'::text, 'dream'::text, 'question'::text, 'test'::text])))
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
CREATE INDEX substrate_observations_kind ON thoth.substrate_observations USING btree (tenant_id, kind, observed_at);
alter table thoth.substrate_observations enable row level security;
alter table thoth.substrate_observations force row level security;
create policy every_tenant on thoth.substrate_observations for all to thoth_worker using (true) with check (true);
create policy tenant on thoth.substrate_observations for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant delete, insert, select, update on thoth.substrate_observations to thoth_app;
grant select (tenant_id, kind, score, observed_at) on thoth.substrate_observations to thoth_worker;

create table thoth.substrate_outcomes (
    tenant_id text not null,
    row_id bigint not null,
    outcome text not null,
    by_id bigint not null,
    noted_at timestamp with time zone default thoth.substrate_now() not null,
    constraint substrate_outcomes_pkey PRIMARY KEY (tenant_id, row_id, outcome, by_id),
    constraint substrate_outcomes_outcome_check CHECK ((outcome = ANY (ARRAY['corroborated'::text, 'contradicted'::text, 'corrected'::text])))
);
comment on table thoth.substrate_outcomes is 'What later befell a fact: the evidence of calibration.';
comment on column thoth.substrate_outcomes.tenant_id is 'The tenant.';
comment on column thoth.substrate_outcomes.row_id is 'The fact.';
comment on column thoth.substrate_outcomes.outcome is 'What befell it. A change in the world is none of these.';
comment on column thoth.substrate_outcomes.by_id is 'The relationship that did; the fact itself when a citation of another session did.';
comment on column thoth.substrate_outcomes.noted_at is 'When.';
alter table thoth.substrate_outcomes enable row level security;
alter table thoth.substrate_outcomes force row level security;
create policy tenant on thoth.substrate_outcomes for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant delete, insert, select, update on thoth.substrate_outcomes to thoth_app;

create table thoth.substrate_passage_vectors (
    tenant_id text not null,
    passage_id bigint not null,
    kind text not null,
    model text not null,
    embedding public.halfvec not null,
    code bit(1536) not null,
    constraint substrate_passage_vectors_pkey PRIMARY KEY (tenant_id, model, passage_id, kind),
    constraint substrate_passage_vectors_kind_check CHECK ((kind = ANY (ARRAY['turn'::text, 'window'::text])))
) partition by hash (tenant_id);
alter table thoth.substrate_passage_vectors alter embedding set storage plain;
comment on table thoth.substrate_passage_vectors is 'Insert-only vectors beside the passages: filling a vector column by update costs a dozen times more.';
comment on column thoth.substrate_passage_vectors.tenant_id is 'Owner of the row.';
comment on column thoth.substrate_passage_vectors.passage_id is 'The passage.';
comment on column thoth.substrate_passage_vectors.kind is 'turn: the passage alone; window: with the turn before it, for short turns.';
comment on column thoth.substrate_passage_vectors.model is 'Who made it.';
comment on column thoth.substrate_passage_vectors.embedding is 'Unit vector in the model''s native dimension.';
comment on column thoth.substrate_passage_vectors.code is 'Signs of (embedding - centre of the model), zero-padded to 1536 bits.';
alter table thoth.substrate_passage_vectors enable row level security;
alter table thoth.substrate_passage_vectors force row level security;
create policy tenant on thoth.substrate_passage_vectors for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant delete, insert, select, update on thoth.substrate_passage_vectors to thoth_app;

create table thoth.substrate_passages (
    tenant_id text not null,
    passage_id bigint default nextval('thoth.substrate_passage_ids'::regclass) not null,
    slice_id uuid not null,
    passage_no smallint not null,
    stream_id smallint not null,
    session_no integer not null,
    seq integer not null,
    event_time timestamp with time zone not null,
    char_start integer not null,
    char_end integer not null,
    length integer not null,
    flags smallint default 0 not null,
    trust real default 1.0 not null,
    actor text not null,
    terms text[] not null,
    counts smallint[] not null,
    constraint substrate_passages_pkey PRIMARY KEY (tenant_id, passage_id)
) partition by hash (tenant_id);
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
CREATE INDEX substrate_passages_session ON ONLY thoth.substrate_passages USING btree (tenant_id, session_no, seq);
CREATE INDEX substrate_passages_time ON ONLY thoth.substrate_passages USING btree (tenant_id, event_time);
CREATE UNIQUE INDEX substrate_passages_slice ON ONLY thoth.substrate_passages USING btree (tenant_id, slice_id, passage_no);
alter table thoth.substrate_passages enable row level security;
alter table thoth.substrate_passages force row level security;
create policy tenant on thoth.substrate_passages for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant delete, insert, select, update on thoth.substrate_passages to thoth_app;

create table thoth.substrate_patterns (
    tenant_id text not null,
    pattern_id bigint default nextval('thoth.substrate_row_ids'::regclass) not null,
    kind text not null,
    statement text not null,
    norm text not null,
    community_id bigint,
    rewordings integer default 0 not null,
    valid_from timestamp with time zone not null,
    valid_to timestamp with time zone not null,
    stated_confidence real not null,
    confidence real not null,
    asserted_at timestamp with time zone default thoth.substrate_now() not null,
    retracted_at timestamp with time zone,
    retract_reason text,
    agent text not null,
    model text default ''::text not null,
    decision_id uuid,
    constraint substrate_patterns_pkey PRIMARY KEY (tenant_id, pattern_id),
    constraint substrate_patterns_confidence_check CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision))),
    constraint substrate_patterns_kind_check CHECK ((kind = ANY (ARRAY['pattern'::text, 'insight'::text, 'synthesis'::text]))),
    constraint substrate_patterns_stated_confidence_check CHECK (((stated_confidence >= (0)::double precision) AND (stated_confidence <= (1)::double precision)))
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
CREATE INDEX substrate_patterns_community ON thoth.substrate_patterns USING btree (tenant_id, community_id);
alter table thoth.substrate_patterns enable row level security;
alter table thoth.substrate_patterns force row level security;
create policy tenant on thoth.substrate_patterns for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant delete, insert, select, update on thoth.substrate_patterns to thoth_app;

create table thoth.substrate_pending (
    tenant_id text not null,
    slice_id uuid not null,
    profile text not null,
    queued_at timestamp with time zone default thoth.substrate_now() not null,
    constraint substrate_pending_pkey PRIMARY KEY (tenant_id, slice_id)
) with (fillfactor=100, autovacuum_vacuum_scale_factor=0.0, autovacuum_vacuum_threshold=5000);
comment on table thoth.substrate_pending is 'Slices that wait for triage: a narrow queue, drained by DELETE … SKIP LOCKED.';
comment on column thoth.substrate_pending.tenant_id is 'Owner of the row.';
comment on column thoth.substrate_pending.slice_id is 'The slice that waits.';
comment on column thoth.substrate_pending.profile is 'Decay profile, whose pending_ttl bounds the wait.';
comment on column thoth.substrate_pending.queued_at is 'When it entered the database: the wait counts from here, or from when a Sentinel came alive.';
CREATE INDEX substrate_pending_queued ON thoth.substrate_pending USING btree (queued_at);
alter table thoth.substrate_pending enable row level security;
alter table thoth.substrate_pending force row level security;
create policy every_tenant on thoth.substrate_pending for all to thoth_worker using (true) with check (true);
create policy tenant on thoth.substrate_pending for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant delete, insert, select, update on thoth.substrate_pending to thoth_app;
grant delete, insert, select, update on thoth.substrate_pending to thoth_worker;

create table thoth.substrate_postings (
    tenant_id text not null,
    term text not null,
    passage_id bigint not null,
    count smallint not null,
    length integer not null,
    constraint substrate_postings_pkey PRIMARY KEY (tenant_id, term, passage_id) INCLUDE (count, length)
) partition by hash (tenant_id);
comment on table thoth.substrate_postings is 'The inverted index for BM25. Postings, because under row-level security a full-text operator is not leakproof and would scan.';
comment on column thoth.substrate_postings.tenant_id is 'Owner of the row.';
comment on column thoth.substrate_postings.term is 'Stemmed, unaccented word; bigram where script has no word spaces.';
comment on column thoth.substrate_postings.passage_id is 'The passage it occurs in.';
comment on column thoth.substrate_postings.count is 'How often it occurs there, count.';
comment on column thoth.substrate_postings.length is 'Terms in that passage, count.';
alter table thoth.substrate_postings enable row level security;
alter table thoth.substrate_postings force row level security;
create policy tenant on thoth.substrate_postings for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant delete, insert, select, update on thoth.substrate_postings to thoth_app;

create table thoth.substrate_profiles (
    profile text not null,
    half_life interval not null,
    floor real not null,
    reinforce real not null,
    pending_ttl interval not null,
    consolidation_window interval not null,
    tombstone text not null,
    tombstone_reason text,
    release_unconsolidated_after interval,
    expire_after interval default '90 days'::interval not null,
    constraint substrate_profiles_pkey PRIMARY KEY (profile),
    constraint substrate_profiles_check CHECK (((tombstone = 'thin'::text) OR (tombstone_reason IS NOT NULL))),
    constraint substrate_profiles_consolidation_window_check CHECK ((consolidation_window > '00:00:00'::interval)),
    constraint substrate_profiles_expire_after_check CHECK ((expire_after > '00:00:00'::interval)),
    constraint substrate_profiles_floor_check CHECK (((floor > (0)::double precision) AND (floor < (1)::double precision))),
    constraint substrate_profiles_half_life_check CHECK ((half_life > '00:00:00'::interval)),
    constraint substrate_profiles_pending_ttl_check CHECK ((pending_ttl > '00:00:00'::interval)),
    constraint substrate_profiles_profile_check CHECK ((profile ~ '^[a-z][a-z0-9-]{0,62}$'::text)),
    constraint substrate_profiles_reinforce_check CHECK (((reinforce >= (0)::double precision) AND (reinforce <= (1)::double precision))),
    constraint substrate_profiles_release_unconsolidated_after_check CHECK ((release_unconsolidated_after > '00:00:00'::interval)),
    constraint substrate_profiles_tombstone_check CHECK ((tombstone = ANY (ARRAY['thin'::text, 'none'::text])))
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
grant insert, select, update on thoth.substrate_profiles to thoth_app;
grant insert, select, update on thoth.substrate_profiles to thoth_worker;

create table thoth.substrate_purges (
    tenant_id text not null,
    purge_id uuid not null,
    purged_at timestamp with time zone default thoth.substrate_now() not null,
    slice_ids uuid[] not null,
    receipt jsonb not null,
    decision_id uuid,
    constraint substrate_purges_pkey PRIMARY KEY (tenant_id, purge_id)
);
comment on table thoth.substrate_purges is 'Receipts: what was purged, by table, without a word of it.';
comment on column thoth.substrate_purges.tenant_id is 'The tenant.';
comment on column thoth.substrate_purges.purge_id is 'The receipt.';
comment on column thoth.substrate_purges.purged_at is 'When.';
comment on column thoth.substrate_purges.slice_ids is 'The slices.';
comment on column thoth.substrate_purges.receipt is 'Rows gone and rows derived anew, by table.';
comment on column thoth.substrate_purges.decision_id is 'The diary''s entry that made it.';
alter table thoth.substrate_purges enable row level security;
alter table thoth.substrate_purges force row level security;
create policy tenant on thoth.substrate_purges for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant delete, insert, select, update on thoth.substrate_purges to thoth_app;

create table thoth.substrate_quarantine (
    tenant_id text not null,
    slice_id uuid not null,
    since timestamp with time zone default thoth.substrate_now() not null,
    constraint substrate_quarantine_pkey PRIMARY KEY (tenant_id, slice_id)
);
comment on table thoth.substrate_quarantine is 'Slices in quarantine whose content is still there, kept by a trigger: finding them must not scan every month.';
comment on column thoth.substrate_quarantine.tenant_id is 'Owner of the row.';
comment on column thoth.substrate_quarantine.slice_id is 'The slice that is held back.';
comment on column thoth.substrate_quarantine.since is 'When it was held back.';
alter table thoth.substrate_quarantine enable row level security;
alter table thoth.substrate_quarantine force row level security;
create policy every_tenant on thoth.substrate_quarantine for all to thoth_worker using (true) with check (true);
create policy tenant on thoth.substrate_quarantine for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant delete, insert, select on thoth.substrate_quarantine to thoth_app;
grant delete, insert, select on thoth.substrate_quarantine to thoth_worker;

create table thoth.substrate_recall_log (
    tenant_id text not null,
    recall_id uuid not null,
    asked_at timestamp with time zone not null,
    session_id text,
    query_hash bytea not null,
    query_excerpt text not null,
    config_hash bytea not null,
    deadline_ms integer not null,
    took_ms real not null,
    tokens integer not null,
    empty_reason text,
    legs jsonb not null,
    candidates jsonb not null,
    shown jsonb not null,
    detail jsonb default '{}'::jsonb not null,
    constraint substrate_recall_log_pkey PRIMARY KEY (tenant_id, recall_id, asked_at),
    constraint substrate_recall_log_empty_reason_check CHECK ((empty_reason = ANY (ARRAY['disabled'::text, 'timeout'::text, 'no_candidates'::text, 'below_floor'::text, 'trivial_query'::text, 'token_budget_exhausted'::text, 'error'::text])))
) partition by range (asked_at);
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
CREATE INDEX substrate_recall_log_recent ON ONLY thoth.substrate_recall_log USING btree (tenant_id, asked_at);
alter table thoth.substrate_recall_log enable row level security;
alter table thoth.substrate_recall_log force row level security;
create policy every_tenant on thoth.substrate_recall_log for all to thoth_worker using (true) with check (true);
create policy tenant on thoth.substrate_recall_log for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant insert, select, update on thoth.substrate_recall_log to thoth_app;
grant select (tenant_id, recall_id, asked_at, deadline_ms, took_ms, empty_reason) on thoth.substrate_recall_log to thoth_worker;

create table thoth.substrate_relationships (
    tenant_id text not null,
    relationship_id bigint default nextval('thoth.substrate_row_ids'::regclass) not null,
    subject_id bigint not null,
    predicate text not null,
    object_id bigint,
    object_text text not null,
    object_norm text not null,
    negated boolean default false not null,
    functional boolean default false not null,
    statement text not null,
    valid_from timestamp with time zone not null,
    valid_to timestamp with time zone,
    asserted_at timestamp with time zone default thoth.substrate_now() not null,
    retracted_at timestamp with time zone,
    retract_reason text,
    superseded_by bigint,
    stated_confidence real not null,
    confidence real not null,
    agent text not null,
    model text default ''::text not null,
    decision_id uuid,
    constraint substrate_relationships_pkey PRIMARY KEY (tenant_id, relationship_id),
    constraint substrate_relationships_check CHECK (((valid_to IS NULL) OR (valid_to >= valid_from))),
    constraint substrate_relationships_confidence_check CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision))),
    constraint substrate_relationships_stated_confidence_check CHECK (((stated_confidence >= (0)::double precision) AND (stated_confidence <= (1)::double precision)))
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
CREATE INDEX substrate_relationships_object ON thoth.substrate_relationships USING btree (tenant_id, object_id) WHERE (object_id IS NOT NULL);
CREATE INDEX substrate_relationships_subject ON thoth.substrate_relationships USING btree (tenant_id, subject_id, predicate);
alter table thoth.substrate_relationships enable row level security;
alter table thoth.substrate_relationships force row level security;
create policy tenant on thoth.substrate_relationships for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant delete, insert, select, update on thoth.substrate_relationships to thoth_app;

create table thoth.substrate_roots (
    tenant_id text not null,
    host text not null,
    root text not null,
    watched_at timestamp with time zone default thoth.substrate_now() not null,
    quick_at timestamp with time zone,
    full_at timestamp with time zone,
    warning text default ''::text not null,
    constraint substrate_roots_pkey PRIMARY KEY (tenant_id, host, root)
);
comment on table thoth.substrate_roots is 'Watched folders, and when each was last looked through.';
comment on column thoth.substrate_roots.tenant_id is 'Whose memory they feed.';
comment on column thoth.substrate_roots.host is 'The installation that watches it: two machines may have folders of one name.';
comment on column thoth.substrate_roots.root is 'The folder''s absolute path.';
comment on column thoth.substrate_roots.watched_at is 'Since when it is watched.';
comment on column thoth.substrate_roots.quick_at is 'When its paths, sizes and times were last compared.';
comment on column thoth.substrate_roots.full_at is 'When every file''s content was last compared.';
comment on column thoth.substrate_roots.warning is 'What is wrong with it, e.g. that it is gone and its files are kept; empty when nothing is.';
alter table thoth.substrate_roots enable row level security;
alter table thoth.substrate_roots force row level security;
create policy tenant on thoth.substrate_roots for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant delete, insert, select, update on thoth.substrate_roots to thoth_app;

create table thoth.substrate_salience (
    tenant_id text not null,
    slice_id uuid not null,
    anchor real not null,
    anchored_at timestamp with time zone not null,
    half_life interval not null,
    fades_at timestamp with time zone not null,
    importance real default 0.5 not null,
    pinned boolean default false not null,
    releasable boolean default false not null,
    reinforced_at timestamp with time zone,
    used_at timestamp with time zone,
    profile text not null,
    constraint substrate_salience_pkey PRIMARY KEY (tenant_id, slice_id),
    constraint substrate_salience_anchor_check CHECK (((anchor >= (0)::double precision) AND (anchor <= (1)::double precision))),
    constraint substrate_salience_importance_check CHECK (((importance >= (0)::double precision) AND (importance <= (1)::double precision)))
) partition by hash (tenant_id);
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
CREATE INDEX substrate_salience_due ON ONLY thoth.substrate_salience USING btree (fades_at) WHERE (releasable AND (NOT pinned));
CREATE INDEX substrate_salience_pinned ON ONLY thoth.substrate_salience USING btree (tenant_id) WHERE pinned;
alter table thoth.substrate_salience enable row level security;
alter table thoth.substrate_salience force row level security;
create policy every_tenant on thoth.substrate_salience for all to thoth_worker using (true) with check (true);
create policy tenant on thoth.substrate_salience for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant delete, insert, select, update on thoth.substrate_salience to thoth_app;
grant select on thoth.substrate_salience to thoth_worker;

create table thoth.substrate_salience_events (
    tenant_id text not null,
    slice_id uuid not null,
    at timestamp with time zone not null,
    cause text not null,
    anchor real not null,
    half_life interval not null,
    constraint substrate_salience_events_pkey PRIMARY KEY (tenant_id, slice_id, at, cause),
    constraint substrate_salience_events_cause_check CHECK ((cause = ANY (ARRAY['surfaced'::text, 'used'::text, 'pinned'::text, 'unpinned'::text, 'forgotten'::text, 'importance'::text])))
) partition by range (at);
comment on table thoth.substrate_salience_events is 'Every move of an anchor after birth, by month, so that salience at any past instant can be recomputed.';
comment on column thoth.substrate_salience_events.tenant_id is 'Owner of the row.';
comment on column thoth.substrate_salience_events.slice_id is 'The slice.';
comment on column thoth.substrate_salience_events.at is 'When the anchor moved.';
comment on column thoth.substrate_salience_events.cause is 'What moved it.';
comment on column thoth.substrate_salience_events.anchor is 'The new level, 0..1.';
comment on column thoth.substrate_salience_events.half_life is 'The new half-life.';
alter table thoth.substrate_salience_events enable row level security;
alter table thoth.substrate_salience_events force row level security;
create policy every_tenant on thoth.substrate_salience_events for all to thoth_worker using (true) with check (true);
create policy tenant on thoth.substrate_salience_events for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant delete, insert, select on thoth.substrate_salience_events to thoth_app;
grant select on thoth.substrate_salience_events to thoth_worker;

create table thoth.substrate_sessions (
    tenant_id text not null,
    session_id text not null,
    session_no integer generated always as identity not null,
    last_seq integer default 0 not null,
    constraint substrate_sessions_pkey PRIMARY KEY (tenant_id, session_id)
) with (fillfactor=70);
comment on table thoth.substrate_sessions is 'Short numbers for sessions, and how many passages each has: neighbours are then ±1.';
comment on column thoth.substrate_sessions.tenant_id is 'Owner of the row.';
comment on column thoth.substrate_sessions.session_id is 'The conversation.';
comment on column thoth.substrate_sessions.session_no is 'Its short number.';
comment on column thoth.substrate_sessions.last_seq is 'Sequence number of its newest passage, count from 1.';
alter table thoth.substrate_sessions enable row level security;
alter table thoth.substrate_sessions force row level security;
create policy tenant on thoth.substrate_sessions for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant delete, insert, select, update on thoth.substrate_sessions to thoth_app;

create table thoth.substrate_slices (
    tenant_id text not null,
    slice_id uuid not null,
    ingest_time timestamp with time zone not null,
    stream_id smallint not null,
    session_id text not null,
    actor text not null,
    event_time timestamp with time zone not null,
    event_offset_s integer,
    trust real default 1.0 not null,
    triage_state text default 'pending'::text not null,
    triage_reason text,
    consolidation_state text default 'unconsolidated'::text not null,
    consolidation_attempts smallint default 0 not null,
    forgotten boolean default false not null,
    released_at timestamp with time zone,
    content_hash bytea not null,
    external_id text,
    text text not null,
    payload jsonb,
    metadata jsonb default '{}'::jsonb not null,
    constraint substrate_slices_pkey PRIMARY KEY (tenant_id, slice_id, ingest_time),
    constraint substrate_slices_check CHECK (((consolidation_state <> 'released'::text) OR ((payload IS NULL) AND (text = ''::text)))),
    constraint substrate_slices_consolidation_state_check CHECK ((consolidation_state = ANY (ARRAY['unconsolidated'::text, 'partial'::text, 'consolidated'::text, 'released'::text, 'exempt'::text]))),
    constraint substrate_slices_triage_state_check CHECK ((triage_state = ANY (ARRAY['pending'::text, 'passed'::text, 'quarantined'::text, 'rejected'::text]))),
    constraint substrate_slices_trust_check CHECK (((trust >= (0)::double precision) AND (trust <= (1)::double precision)))
) partition by range (ingest_time);
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
CREATE INDEX substrate_slices_session ON ONLY thoth.substrate_slices USING btree (tenant_id, session_id, event_time);
CREATE TRIGGER substrate_guard_release BEFORE UPDATE OF consolidation_state ON thoth.substrate_slices FOR EACH ROW WHEN (((new.consolidation_state = 'released'::text) AND (old.consolidation_state <> 'released'::text))) EXECUTE FUNCTION thoth.substrate_guard_release();
CREATE TRIGGER substrate_mark_releasable AFTER UPDATE OF consolidation_state ON thoth.substrate_slices FOR EACH ROW WHEN (((new.consolidation_state = 'consolidated'::text) AND (old.consolidation_state <> 'consolidated'::text))) EXECUTE FUNCTION thoth.substrate_mark_releasable();
CREATE TRIGGER substrate_note_quarantine AFTER UPDATE OF triage_state, consolidation_state ON thoth.substrate_slices FOR EACH ROW WHEN (((old.triage_state = 'quarantined'::text) OR (new.triage_state = 'quarantined'::text))) EXECUTE FUNCTION thoth.substrate_note_quarantine();
CREATE TRIGGER substrate_refuse_delete BEFORE DELETE ON thoth.substrate_slices FOR EACH ROW EXECUTE FUNCTION thoth.substrate_refuse_delete();
alter table thoth.substrate_slices enable row level security;
alter table thoth.substrate_slices force row level security;
create policy every_tenant on thoth.substrate_slices for all to thoth_worker using (true) with check (true);
create policy tenant on thoth.substrate_slices for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant insert, select, update on thoth.substrate_slices to thoth_app;
grant select (tenant_id, slice_id, ingest_time, stream_id, trust, triage_state, triage_reason, consolidation_state, forgotten, released_at), update (trust, triage_state, triage_reason) on thoth.substrate_slices to thoth_worker;

create table thoth.substrate_sources (
    tenant_id text not null,
    concept_id bigint not null,
    type text not null,
    ref text not null,
    from_time timestamp with time zone not null,
    to_time timestamp with time zone not null,
    constraint substrate_sources_pkey PRIMARY KEY (tenant_id, concept_id, type, ref),
    constraint substrate_sources_check CHECK ((to_time >= from_time)),
    constraint substrate_sources_type_check CHECK ((type ~ '^[a-z][a-z0-9_-]{0,31}$'::text))
);
comment on table thoth.substrate_sources is 'Where a concept was met: a window of time of a conversation here, or of something outside.';
comment on column thoth.substrate_sources.tenant_id is 'The tenant.';
comment on column thoth.substrate_sources.concept_id is 'The concept.';
comment on column thoth.substrate_sources.type is 'conversation (of slices here); anything else, such as mail or channel, is outside.';
comment on column thoth.substrate_sources.ref is 'Of a conversation its stream and session, stream/session; of anything else its id there.';
comment on column thoth.substrate_sources.from_time is 'When it was first spoken of there, by the time of the event.';
comment on column thoth.substrate_sources.to_time is 'When it was last.';
CREATE INDEX substrate_sources_ref ON thoth.substrate_sources USING btree (tenant_id, type, ref);
alter table thoth.substrate_sources enable row level security;
alter table thoth.substrate_sources force row level security;
create policy tenant on thoth.substrate_sources for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant delete, insert, select, update on thoth.substrate_sources to thoth_app;

create table thoth.substrate_statement_postings (
    tenant_id text not null,
    term text not null,
    row_id bigint not null,
    count smallint not null,
    length integer not null,
    constraint substrate_statement_postings_pkey PRIMARY KEY (tenant_id, term, row_id) INCLUDE (count, length)
);
comment on table thoth.substrate_statement_postings is 'Which statements hold a term: BM25 over knowledge.';
comment on column thoth.substrate_statement_postings.tenant_id is 'The tenant.';
comment on column thoth.substrate_statement_postings.term is 'The term.';
comment on column thoth.substrate_statement_postings.row_id is 'The statement.';
comment on column thoth.substrate_statement_postings.count is 'How often.';
comment on column thoth.substrate_statement_postings.length is 'The statement''s number of terms.';
alter table thoth.substrate_statement_postings enable row level security;
alter table thoth.substrate_statement_postings force row level security;
create policy tenant on thoth.substrate_statement_postings for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant delete, insert, select, update on thoth.substrate_statement_postings to thoth_app;

create table thoth.substrate_statements (
    tenant_id text not null,
    row_id bigint not null,
    layer text not null,
    terms text[] not null,
    counts smallint[] not null,
    length integer not null,
    embedding public.halfvec,
    embedding_model text,
    constraint substrate_statements_pkey PRIMARY KEY (tenant_id, row_id),
    constraint substrate_statements_layer_check CHECK ((layer = ANY (ARRAY['relationship'::text, 'pattern'::text, 'observation'::text])))
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
alter table thoth.substrate_statements enable row level security;
alter table thoth.substrate_statements force row level security;
create policy tenant on thoth.substrate_statements for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant delete, insert, select, update on thoth.substrate_statements to thoth_app;

create table thoth.substrate_streams (
    stream_id smallint generated always as identity not null,
    stream text not null,
    family text not null,
    modality text not null,
    source text not null,
    profile text not null,
    lifecycle text default 'active'::text not null,
    registered_at timestamp with time zone default thoth.substrate_now() not null,
    constraint substrate_streams_pkey PRIMARY KEY (stream_id),
    constraint substrate_streams_stream_key UNIQUE (stream),
    constraint substrate_streams_family_check CHECK ((family = ANY (ARRAY['exteroceptive'::text, 'self_action'::text, 'self_state'::text]))),
    constraint substrate_streams_lifecycle_check CHECK ((lifecycle = ANY (ARRAY['active'::text, 'retired'::text]))),
    constraint substrate_streams_modality_check CHECK ((modality = ANY (ARRAY['text'::text, 'structured'::text, 'binary'::text, 'signal'::text]))),
    constraint substrate_streams_stream_check CHECK ((stream ~ '^[a-z][a-z0-9_]*(\.[a-z0-9_]+)+$'::text))
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
grant insert, select, update on thoth.substrate_streams to thoth_app;
grant insert, select, update on thoth.substrate_streams to thoth_worker;

create table thoth.substrate_supports (
    tenant_id text not null,
    row_id bigint not null,
    support_id bigint not null,
    constraint substrate_supports_pkey PRIMARY KEY (tenant_id, row_id, support_id)
);
comment on table thoth.substrate_supports is 'What a row of a higher layer rests on in the lower ones.';
comment on column thoth.substrate_supports.tenant_id is 'The tenant.';
comment on column thoth.substrate_supports.row_id is 'The pattern or observation.';
comment on column thoth.substrate_supports.support_id is 'The fact, pattern or observation that it rests on.';
CREATE INDEX substrate_supports_support ON thoth.substrate_supports USING btree (tenant_id, support_id);
alter table thoth.substrate_supports enable row level security;
alter table thoth.substrate_supports force row level security;
create policy tenant on thoth.substrate_supports for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant delete, insert, select, update on thoth.substrate_supports to thoth_app;

create table thoth.substrate_tenants (
    tenant_id text not null,
    first_seen timestamp with time zone default thoth.substrate_now() not null,
    constraint substrate_tenants_pkey PRIMARY KEY (tenant_id),
    constraint substrate_tenants_tenant_id_check CHECK ((tenant_id ~ '^[\w.:@-]{1,64}$'::text))
);
comment on table thoth.substrate_tenants is 'Every tenant that has perceived anything, so that workers need not scan for them.';
comment on column thoth.substrate_tenants.tenant_id is 'The tenant.';
comment on column thoth.substrate_tenants.first_seen is 'When its first slice was written.';
alter table thoth.substrate_tenants enable row level security;
alter table thoth.substrate_tenants force row level security;
create policy every_tenant on thoth.substrate_tenants for all to thoth_worker using (true) with check (true);
create policy tenant on thoth.substrate_tenants for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant insert, select on thoth.substrate_tenants to thoth_app;
grant select on thoth.substrate_tenants to thoth_worker;

create table thoth.substrate_terms (
    tenant_id text not null,
    term text not null,
    passages integer not null,
    constraint substrate_terms_pkey PRIMARY KEY (tenant_id, term),
    constraint substrate_terms_passages_check CHECK ((passages >= 0))
) partition by hash (tenant_id);
comment on table thoth.substrate_terms is 'In how many passages each term occurs.';
comment on column thoth.substrate_terms.tenant_id is 'Owner of the row.';
comment on column thoth.substrate_terms.term is 'The term.';
comment on column thoth.substrate_terms.passages is 'Passages it occurs in, count.';
alter table thoth.substrate_terms enable row level security;
alter table thoth.substrate_terms force row level security;
create policy tenant on thoth.substrate_terms for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant delete, insert, select, update on thoth.substrate_terms to thoth_app;

create table thoth.substrate_text_stats (
    tenant_id text not null,
    passages bigint default 0 not null,
    total_length bigint default 0 not null,
    constraint substrate_text_stats_pkey PRIMARY KEY (tenant_id)
) with (fillfactor=50);
comment on table thoth.substrate_text_stats is 'What BM25 needs to know of a tenant.';
comment on column thoth.substrate_text_stats.tenant_id is 'Owner of the row.';
comment on column thoth.substrate_text_stats.passages is 'Passages, count.';
comment on column thoth.substrate_text_stats.total_length is 'Terms in all of them, count.';
alter table thoth.substrate_text_stats enable row level security;
alter table thoth.substrate_text_stats force row level security;
create policy every_tenant on thoth.substrate_text_stats for all to thoth_worker using (true) with check (true);
create policy tenant on thoth.substrate_text_stats for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant delete, insert, select, update on thoth.substrate_text_stats to thoth_app;
grant select on thoth.substrate_text_stats to thoth_worker;

create table thoth.substrate_tokens (
    tenant_id text not null,
    token_id uuid not null,
    name text not null,
    hash bytea not null,
    scopes text[] not null,
    created_at timestamp with time zone not null,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    last_used_at timestamp with time zone,
    constraint substrate_tokens_pkey PRIMARY KEY (tenant_id, token_id),
    constraint substrate_tokens_hash_check CHECK ((octet_length(hash) = 32)),
    constraint substrate_tokens_scopes_check CHECK ((scopes <@ ARRAY['read'::text, 'write'::text, 'admin'::text, 'metrics'::text]))
);
comment on table thoth.substrate_tokens is 'Who may ask over HTTP: a row a token. The token itself is shown once and never stored.';
comment on column thoth.substrate_tokens.tenant_id is 'The one tenant it is good for.';
comment on column thoth.substrate_tokens.token_id is 'What it is called by, to list and to revoke it.';
comment on column thoth.substrate_tokens.name is 'Whose it is, in the operator''s words.';
comment on column thoth.substrate_tokens.hash is 'SHA-256 of the token; it has 256 random bits, so nothing slower is needed.';
comment on column thoth.substrate_tokens.scopes is 'What it allows: read, write, admin (all of them for its tenant), metrics (numbers of all tenants). None of them: nothing.';
comment on column thoth.substrate_tokens.created_at is 'When it was made.';
comment on column thoth.substrate_tokens.expires_at is 'From when on it is refused; null: never.';
comment on column thoth.substrate_tokens.revoked_at is 'When it was taken back; null: it was not.';
comment on column thoth.substrate_tokens.last_used_at is 'When it was last presented, to within some minutes.';
CREATE UNIQUE INDEX substrate_tokens_hash ON thoth.substrate_tokens USING btree (hash);
alter table thoth.substrate_tokens enable row level security;
alter table thoth.substrate_tokens force row level security;
create policy every_tenant on thoth.substrate_tokens for all to thoth_worker using (true) with check (true);
create policy tenant on thoth.substrate_tokens for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant insert, select, update on thoth.substrate_tokens to thoth_app;
grant select, update (last_used_at) on thoth.substrate_tokens to thoth_worker;

create table thoth.substrate_unassociated (
    tenant_id text not null,
    entity_id bigint not null,
    queued_at timestamp with time zone default thoth.substrate_now() not null,
    constraint substrate_unassociated_pkey PRIMARY KEY (tenant_id, entity_id)
) with (autovacuum_vacuum_scale_factor=0.0, autovacuum_vacuum_threshold=5000);
comment on table thoth.substrate_unassociated is 'Queue: entities whose facts changed since their associations were computed.';
comment on column thoth.substrate_unassociated.tenant_id is 'The tenant.';
comment on column thoth.substrate_unassociated.entity_id is 'The entity.';
comment on column thoth.substrate_unassociated.queued_at is 'Since when.';
CREATE INDEX substrate_unassociated_queued ON thoth.substrate_unassociated USING btree (queued_at);
alter table thoth.substrate_unassociated enable row level security;
alter table thoth.substrate_unassociated force row level security;
create policy every_tenant on thoth.substrate_unassociated for all to thoth_worker using (true) with check (true);
create policy tenant on thoth.substrate_unassociated for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant delete, insert, select, update on thoth.substrate_unassociated to thoth_app;
grant delete, insert, select, update on thoth.substrate_unassociated to thoth_worker;

create table thoth.substrate_unconsolidated (
    tenant_id text not null,
    slice_id uuid not null,
    queued_at timestamp with time zone default thoth.substrate_now() not null,
    attempts smallint default 0 not null,
    not_before timestamp with time zone default '-infinity'::timestamp with time zone not null,
    claimed_until timestamp with time zone default '-infinity'::timestamp with time zone not null,
    claim uuid,
    failure text,
    constraint substrate_unconsolidated_pkey PRIMARY KEY (tenant_id, slice_id)
) with (autovacuum_vacuum_scale_factor=0.0, autovacuum_vacuum_threshold=5000);
comment on table thoth.substrate_unconsolidated is 'Passed slices whose meaning is still to be promoted. Without a model it grows, and health shows it.';
comment on column thoth.substrate_unconsolidated.tenant_id is 'Owner of the row.';
comment on column thoth.substrate_unconsolidated.slice_id is 'The slice that waits.';
comment on column thoth.substrate_unconsolidated.queued_at is 'When it passed triage.';
comment on column thoth.substrate_unconsolidated.attempts is 'How often an agent tried in vain.';
comment on column thoth.substrate_unconsolidated.not_before is 'The next attempt is not before this.';
comment on column thoth.substrate_unconsolidated.claimed_until is 'Until when a claim lasts; then another worker may take it.';
comment on column thoth.substrate_unconsolidated.claim is 'Whose claim (fencing): what is promoted under another is refused.';
comment on column thoth.substrate_unconsolidated.failure is 'What went wrong the last time.';
alter table thoth.substrate_unconsolidated enable row level security;
alter table thoth.substrate_unconsolidated force row level security;
create policy every_tenant on thoth.substrate_unconsolidated for all to thoth_worker using (true) with check (true);
create policy tenant on thoth.substrate_unconsolidated for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant delete, insert, select, update on thoth.substrate_unconsolidated to thoth_app;
grant delete, insert, select, update on thoth.substrate_unconsolidated to thoth_worker;

create table thoth.substrate_unembedded (
    tenant_id text not null,
    passage_id bigint not null,
    queued_at timestamp with time zone default thoth.substrate_now() not null,
    attempts smallint default 0 not null,
    not_before timestamp with time zone default '-infinity'::timestamp with time zone not null,
    failure text,
    constraint substrate_unembedded_pkey PRIMARY KEY (tenant_id, passage_id)
) with (autovacuum_vacuum_scale_factor=0.0, autovacuum_vacuum_threshold=5000);
comment on table thoth.substrate_unembedded is 'Passages without a vector of the active model. A row that keeps failing stays, visible, until `embed retry`.';
comment on column thoth.substrate_unembedded.tenant_id is 'Owner of the row.';
comment on column thoth.substrate_unembedded.passage_id is 'The passage that waits.';
comment on column thoth.substrate_unembedded.queued_at is 'When it was indexed, or re-embedding was asked for.';
comment on column thoth.substrate_unembedded.attempts is 'How often it failed, count.';
comment on column thoth.substrate_unembedded.not_before is 'Not tried again before this instant; infinity: given up until retried by hand.';
comment on column thoth.substrate_unembedded.failure is 'What the last attempt said.';
CREATE INDEX substrate_unembedded_due ON thoth.substrate_unembedded USING btree (not_before, queued_at);
alter table thoth.substrate_unembedded enable row level security;
alter table thoth.substrate_unembedded force row level security;
create policy every_tenant on thoth.substrate_unembedded for all to thoth_worker using (true) with check (true);
create policy tenant on thoth.substrate_unembedded for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant delete, insert, select, update on thoth.substrate_unembedded to thoth_app;
grant delete, insert, select, update on thoth.substrate_unembedded to thoth_worker;

create table thoth.substrate_unindexed (
    tenant_id text not null,
    slice_id uuid not null,
    queued_at timestamp with time zone default thoth.substrate_now() not null,
    constraint substrate_unindexed_pkey PRIMARY KEY (tenant_id, slice_id)
) with (autovacuum_vacuum_scale_factor=0.0, autovacuum_vacuum_threshold=5000);
comment on table thoth.substrate_unindexed is 'Passed slices whose passages and postings are still to be written.';
comment on column thoth.substrate_unindexed.tenant_id is 'Owner of the row.';
comment on column thoth.substrate_unindexed.slice_id is 'The slice that waits.';
comment on column thoth.substrate_unindexed.queued_at is 'When it passed triage.';
CREATE INDEX substrate_unindexed_queued ON thoth.substrate_unindexed USING btree (queued_at);
alter table thoth.substrate_unindexed enable row level security;
alter table thoth.substrate_unindexed force row level security;
create policy every_tenant on thoth.substrate_unindexed for all to thoth_worker using (true) with check (true);
create policy tenant on thoth.substrate_unindexed for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant delete, insert, select, update on thoth.substrate_unindexed to thoth_app;
grant delete, insert, select, update on thoth.substrate_unindexed to thoth_worker;

create table thoth.substrate_vector_stats (
    tenant_id text not null,
    model text not null,
    vectors bigint default 0 not null,
    turns bigint default 0 not null,
    sum real[] not null,
    constraint substrate_vector_stats_pkey PRIMARY KEY (tenant_id, model)
) with (fillfactor=50);
comment on table thoth.substrate_vector_stats is 'A tenant''s mean vector, kept as a sum: questions are centred by it.';
comment on column thoth.substrate_vector_stats.tenant_id is 'Owner of the row.';
comment on column thoth.substrate_vector_stats.model is 'Whose vectors.';
comment on column thoth.substrate_vector_stats.vectors is 'Vectors of every kind, count.';
comment on column thoth.substrate_vector_stats.turns is 'Vectors of kind turn, count.';
comment on column thoth.substrate_vector_stats.sum is 'Sum of the vectors of kind turn.';
alter table thoth.substrate_vector_stats enable row level security;
alter table thoth.substrate_vector_stats force row level security;
create policy every_tenant on thoth.substrate_vector_stats for all to thoth_worker using (true) with check (true);
create policy tenant on thoth.substrate_vector_stats for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant delete, insert, select, update on thoth.substrate_vector_stats to thoth_app;
grant select on thoth.substrate_vector_stats to thoth_worker;

create table thoth.substrate_verdicts (
    tenant_id text not null,
    slice_id uuid not null,
    passage_no smallint not null,
    outcome text not null,
    reason text default ''::text not null,
    agent text not null,
    judged_at timestamp with time zone default thoth.substrate_now() not null,
    decision_id uuid,
    constraint substrate_verdicts_pkey PRIMARY KEY (tenant_id, slice_id, passage_no),
    constraint substrate_verdicts_outcome_check CHECK ((outcome = ANY (ARRAY['extracted'::text, 'nothing'::text, 'failed'::text])))
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
alter table thoth.substrate_verdicts enable row level security;
alter table thoth.substrate_verdicts force row level security;
create policy tenant on thoth.substrate_verdicts for all to thoth_app using ((tenant_id = thoth.substrate_tenant())) with check ((tenant_id = thoth.substrate_tenant()));
grant delete, insert, select, update on thoth.substrate_verdicts to thoth_app;
create table thoth.substrate_passage_vectors_h00 partition of thoth.substrate_passage_vectors for values with (modulus 16, remainder 0) with (fillfactor=100);
CREATE INDEX substrate_passage_vectors_h00_code_idx ON thoth.substrate_passage_vectors_h00 USING hnsw (code public.bit_hamming_ops);
create table thoth.substrate_passage_vectors_h01 partition of thoth.substrate_passage_vectors for values with (modulus 16, remainder 1) with (fillfactor=100);
CREATE INDEX substrate_passage_vectors_h01_code_idx ON thoth.substrate_passage_vectors_h01 USING hnsw (code public.bit_hamming_ops);
create table thoth.substrate_passage_vectors_h02 partition of thoth.substrate_passage_vectors for values with (modulus 16, remainder 2) with (fillfactor=100);
CREATE INDEX substrate_passage_vectors_h02_code_idx ON thoth.substrate_passage_vectors_h02 USING hnsw (code public.bit_hamming_ops);
create table thoth.substrate_passage_vectors_h03 partition of thoth.substrate_passage_vectors for values with (modulus 16, remainder 3) with (fillfactor=100);
CREATE INDEX substrate_passage_vectors_h03_code_idx ON thoth.substrate_passage_vectors_h03 USING hnsw (code public.bit_hamming_ops);
create table thoth.substrate_passage_vectors_h04 partition of thoth.substrate_passage_vectors for values with (modulus 16, remainder 4) with (fillfactor=100);
CREATE INDEX substrate_passage_vectors_h04_code_idx ON thoth.substrate_passage_vectors_h04 USING hnsw (code public.bit_hamming_ops);
create table thoth.substrate_passage_vectors_h05 partition of thoth.substrate_passage_vectors for values with (modulus 16, remainder 5) with (fillfactor=100);
CREATE INDEX substrate_passage_vectors_h05_code_idx ON thoth.substrate_passage_vectors_h05 USING hnsw (code public.bit_hamming_ops);
create table thoth.substrate_passage_vectors_h06 partition of thoth.substrate_passage_vectors for values with (modulus 16, remainder 6) with (fillfactor=100);
CREATE INDEX substrate_passage_vectors_h06_code_idx ON thoth.substrate_passage_vectors_h06 USING hnsw (code public.bit_hamming_ops);
create table thoth.substrate_passage_vectors_h07 partition of thoth.substrate_passage_vectors for values with (modulus 16, remainder 7) with (fillfactor=100);
CREATE INDEX substrate_passage_vectors_h07_code_idx ON thoth.substrate_passage_vectors_h07 USING hnsw (code public.bit_hamming_ops);
create table thoth.substrate_passage_vectors_h08 partition of thoth.substrate_passage_vectors for values with (modulus 16, remainder 8) with (fillfactor=100);
CREATE INDEX substrate_passage_vectors_h08_code_idx ON thoth.substrate_passage_vectors_h08 USING hnsw (code public.bit_hamming_ops);
create table thoth.substrate_passage_vectors_h09 partition of thoth.substrate_passage_vectors for values with (modulus 16, remainder 9) with (fillfactor=100);
CREATE INDEX substrate_passage_vectors_h09_code_idx ON thoth.substrate_passage_vectors_h09 USING hnsw (code public.bit_hamming_ops);
create table thoth.substrate_passage_vectors_h10 partition of thoth.substrate_passage_vectors for values with (modulus 16, remainder 10) with (fillfactor=100);
CREATE INDEX substrate_passage_vectors_h10_code_idx ON thoth.substrate_passage_vectors_h10 USING hnsw (code public.bit_hamming_ops);
create table thoth.substrate_passage_vectors_h11 partition of thoth.substrate_passage_vectors for values with (modulus 16, remainder 11) with (fillfactor=100);
CREATE INDEX substrate_passage_vectors_h11_code_idx ON thoth.substrate_passage_vectors_h11 USING hnsw (code public.bit_hamming_ops);
create table thoth.substrate_passage_vectors_h12 partition of thoth.substrate_passage_vectors for values with (modulus 16, remainder 12) with (fillfactor=100);
CREATE INDEX substrate_passage_vectors_h12_code_idx ON thoth.substrate_passage_vectors_h12 USING hnsw (code public.bit_hamming_ops);
create table thoth.substrate_passage_vectors_h13 partition of thoth.substrate_passage_vectors for values with (modulus 16, remainder 13) with (fillfactor=100);
CREATE INDEX substrate_passage_vectors_h13_code_idx ON thoth.substrate_passage_vectors_h13 USING hnsw (code public.bit_hamming_ops);
create table thoth.substrate_passage_vectors_h14 partition of thoth.substrate_passage_vectors for values with (modulus 16, remainder 14) with (fillfactor=100);
CREATE INDEX substrate_passage_vectors_h14_code_idx ON thoth.substrate_passage_vectors_h14 USING hnsw (code public.bit_hamming_ops);
create table thoth.substrate_passage_vectors_h15 partition of thoth.substrate_passage_vectors for values with (modulus 16, remainder 15) with (fillfactor=100);
CREATE INDEX substrate_passage_vectors_h15_code_idx ON thoth.substrate_passage_vectors_h15 USING hnsw (code public.bit_hamming_ops);
create table thoth.substrate_passages_h00 partition of thoth.substrate_passages for values with (modulus 16, remainder 0) with (fillfactor=100);
create table thoth.substrate_passages_h01 partition of thoth.substrate_passages for values with (modulus 16, remainder 1) with (fillfactor=100);
create table thoth.substrate_passages_h02 partition of thoth.substrate_passages for values with (modulus 16, remainder 2) with (fillfactor=100);
create table thoth.substrate_passages_h03 partition of thoth.substrate_passages for values with (modulus 16, remainder 3) with (fillfactor=100);
create table thoth.substrate_passages_h04 partition of thoth.substrate_passages for values with (modulus 16, remainder 4) with (fillfactor=100);
create table thoth.substrate_passages_h05 partition of thoth.substrate_passages for values with (modulus 16, remainder 5) with (fillfactor=100);
create table thoth.substrate_passages_h06 partition of thoth.substrate_passages for values with (modulus 16, remainder 6) with (fillfactor=100);
create table thoth.substrate_passages_h07 partition of thoth.substrate_passages for values with (modulus 16, remainder 7) with (fillfactor=100);
create table thoth.substrate_passages_h08 partition of thoth.substrate_passages for values with (modulus 16, remainder 8) with (fillfactor=100);
create table thoth.substrate_passages_h09 partition of thoth.substrate_passages for values with (modulus 16, remainder 9) with (fillfactor=100);
create table thoth.substrate_passages_h10 partition of thoth.substrate_passages for values with (modulus 16, remainder 10) with (fillfactor=100);
create table thoth.substrate_passages_h11 partition of thoth.substrate_passages for values with (modulus 16, remainder 11) with (fillfactor=100);
create table thoth.substrate_passages_h12 partition of thoth.substrate_passages for values with (modulus 16, remainder 12) with (fillfactor=100);
create table thoth.substrate_passages_h13 partition of thoth.substrate_passages for values with (modulus 16, remainder 13) with (fillfactor=100);
create table thoth.substrate_passages_h14 partition of thoth.substrate_passages for values with (modulus 16, remainder 14) with (fillfactor=100);
create table thoth.substrate_passages_h15 partition of thoth.substrate_passages for values with (modulus 16, remainder 15) with (fillfactor=100);
create table thoth.substrate_postings_h00 partition of thoth.substrate_postings for values with (modulus 16, remainder 0) with (fillfactor=100);
create table thoth.substrate_postings_h01 partition of thoth.substrate_postings for values with (modulus 16, remainder 1) with (fillfactor=100);
create table thoth.substrate_postings_h02 partition of thoth.substrate_postings for values with (modulus 16, remainder 2) with (fillfactor=100);
create table thoth.substrate_postings_h03 partition of thoth.substrate_postings for values with (modulus 16, remainder 3) with (fillfactor=100);
create table thoth.substrate_postings_h04 partition of thoth.substrate_postings for values with (modulus 16, remainder 4) with (fillfactor=100);
create table thoth.substrate_postings_h05 partition of thoth.substrate_postings for values with (modulus 16, remainder 5) with (fillfactor=100);
create table thoth.substrate_postings_h06 partition of thoth.substrate_postings for values with (modulus 16, remainder 6) with (fillfactor=100);
create table thoth.substrate_postings_h07 partition of thoth.substrate_postings for values with (modulus 16, remainder 7) with (fillfactor=100);
create table thoth.substrate_postings_h08 partition of thoth.substrate_postings for values with (modulus 16, remainder 8) with (fillfactor=100);
create table thoth.substrate_postings_h09 partition of thoth.substrate_postings for values with (modulus 16, remainder 9) with (fillfactor=100);
create table thoth.substrate_postings_h10 partition of thoth.substrate_postings for values with (modulus 16, remainder 10) with (fillfactor=100);
create table thoth.substrate_postings_h11 partition of thoth.substrate_postings for values with (modulus 16, remainder 11) with (fillfactor=100);
create table thoth.substrate_postings_h12 partition of thoth.substrate_postings for values with (modulus 16, remainder 12) with (fillfactor=100);
create table thoth.substrate_postings_h13 partition of thoth.substrate_postings for values with (modulus 16, remainder 13) with (fillfactor=100);
create table thoth.substrate_postings_h14 partition of thoth.substrate_postings for values with (modulus 16, remainder 14) with (fillfactor=100);
create table thoth.substrate_postings_h15 partition of thoth.substrate_postings for values with (modulus 16, remainder 15) with (fillfactor=100);
create table thoth.substrate_salience_h00 partition of thoth.substrate_salience for values with (modulus 16, remainder 0) with (fillfactor=80);
create table thoth.substrate_salience_h01 partition of thoth.substrate_salience for values with (modulus 16, remainder 1) with (fillfactor=80);
create table thoth.substrate_salience_h02 partition of thoth.substrate_salience for values with (modulus 16, remainder 2) with (fillfactor=80);
create table thoth.substrate_salience_h03 partition of thoth.substrate_salience for values with (modulus 16, remainder 3) with (fillfactor=80);
create table thoth.substrate_salience_h04 partition of thoth.substrate_salience for values with (modulus 16, remainder 4) with (fillfactor=80);
create table thoth.substrate_salience_h05 partition of thoth.substrate_salience for values with (modulus 16, remainder 5) with (fillfactor=80);
create table thoth.substrate_salience_h06 partition of thoth.substrate_salience for values with (modulus 16, remainder 6) with (fillfactor=80);
create table thoth.substrate_salience_h07 partition of thoth.substrate_salience for values with (modulus 16, remainder 7) with (fillfactor=80);
create table thoth.substrate_salience_h08 partition of thoth.substrate_salience for values with (modulus 16, remainder 8) with (fillfactor=80);
create table thoth.substrate_salience_h09 partition of thoth.substrate_salience for values with (modulus 16, remainder 9) with (fillfactor=80);
create table thoth.substrate_salience_h10 partition of thoth.substrate_salience for values with (modulus 16, remainder 10) with (fillfactor=80);
create table thoth.substrate_salience_h11 partition of thoth.substrate_salience for values with (modulus 16, remainder 11) with (fillfactor=80);
create table thoth.substrate_salience_h12 partition of thoth.substrate_salience for values with (modulus 16, remainder 12) with (fillfactor=80);
create table thoth.substrate_salience_h13 partition of thoth.substrate_salience for values with (modulus 16, remainder 13) with (fillfactor=80);
create table thoth.substrate_salience_h14 partition of thoth.substrate_salience for values with (modulus 16, remainder 14) with (fillfactor=80);
create table thoth.substrate_salience_h15 partition of thoth.substrate_salience for values with (modulus 16, remainder 15) with (fillfactor=80);
create table thoth.substrate_terms_h00 partition of thoth.substrate_terms for values with (modulus 16, remainder 0) with (fillfactor=70);
CREATE INDEX substrate_terms_h00_term_idx ON thoth.substrate_terms_h00 USING gist (term public.gist_trgm_ops) WHERE (length(term) > 2);
create table thoth.substrate_terms_h01 partition of thoth.substrate_terms for values with (modulus 16, remainder 1) with (fillfactor=70);
CREATE INDEX substrate_terms_h01_term_idx ON thoth.substrate_terms_h01 USING gist (term public.gist_trgm_ops) WHERE (length(term) > 2);
create table thoth.substrate_terms_h02 partition of thoth.substrate_terms for values with (modulus 16, remainder 2) with (fillfactor=70);
CREATE INDEX substrate_terms_h02_term_idx ON thoth.substrate_terms_h02 USING gist (term public.gist_trgm_ops) WHERE (length(term) > 2);
create table thoth.substrate_terms_h03 partition of thoth.substrate_terms for values with (modulus 16, remainder 3) with (fillfactor=70);
CREATE INDEX substrate_terms_h03_term_idx ON thoth.substrate_terms_h03 USING gist (term public.gist_trgm_ops) WHERE (length(term) > 2);
create table thoth.substrate_terms_h04 partition of thoth.substrate_terms for values with (modulus 16, remainder 4) with (fillfactor=70);
CREATE INDEX substrate_terms_h04_term_idx ON thoth.substrate_terms_h04 USING gist (term public.gist_trgm_ops) WHERE (length(term) > 2);
create table thoth.substrate_terms_h05 partition of thoth.substrate_terms for values with (modulus 16, remainder 5) with (fillfactor=70);
CREATE INDEX substrate_terms_h05_term_idx ON thoth.substrate_terms_h05 USING gist (term public.gist_trgm_ops) WHERE (length(term) > 2);
create table thoth.substrate_terms_h06 partition of thoth.substrate_terms for values with (modulus 16, remainder 6) with (fillfactor=70);
CREATE INDEX substrate_terms_h06_term_idx ON thoth.substrate_terms_h06 USING gist (term public.gist_trgm_ops) WHERE (length(term) > 2);
create table thoth.substrate_terms_h07 partition of thoth.substrate_terms for values with (modulus 16, remainder 7) with (fillfactor=70);
CREATE INDEX substrate_terms_h07_term_idx ON thoth.substrate_terms_h07 USING gist (term public.gist_trgm_ops) WHERE (length(term) > 2);
create table thoth.substrate_terms_h08 partition of thoth.substrate_terms for values with (modulus 16, remainder 8) with (fillfactor=70);
CREATE INDEX substrate_terms_h08_term_idx ON thoth.substrate_terms_h08 USING gist (term public.gist_trgm_ops) WHERE (length(term) > 2);
create table thoth.substrate_terms_h09 partition of thoth.substrate_terms for values with (modulus 16, remainder 9) with (fillfactor=70);
CREATE INDEX substrate_terms_h09_term_idx ON thoth.substrate_terms_h09 USING gist (term public.gist_trgm_ops) WHERE (length(term) > 2);
create table thoth.substrate_terms_h10 partition of thoth.substrate_terms for values with (modulus 16, remainder 10) with (fillfactor=70);
CREATE INDEX substrate_terms_h10_term_idx ON thoth.substrate_terms_h10 USING gist (term public.gist_trgm_ops) WHERE (length(term) > 2);
create table thoth.substrate_terms_h11 partition of thoth.substrate_terms for values with (modulus 16, remainder 11) with (fillfactor=70);
CREATE INDEX substrate_terms_h11_term_idx ON thoth.substrate_terms_h11 USING gist (term public.gist_trgm_ops) WHERE (length(term) > 2);
create table thoth.substrate_terms_h12 partition of thoth.substrate_terms for values with (modulus 16, remainder 12) with (fillfactor=70);
CREATE INDEX substrate_terms_h12_term_idx ON thoth.substrate_terms_h12 USING gist (term public.gist_trgm_ops) WHERE (length(term) > 2);
create table thoth.substrate_terms_h13 partition of thoth.substrate_terms for values with (modulus 16, remainder 13) with (fillfactor=70);
CREATE INDEX substrate_terms_h13_term_idx ON thoth.substrate_terms_h13 USING gist (term public.gist_trgm_ops) WHERE (length(term) > 2);
create table thoth.substrate_terms_h14 partition of thoth.substrate_terms for values with (modulus 16, remainder 14) with (fillfactor=70);
CREATE INDEX substrate_terms_h14_term_idx ON thoth.substrate_terms_h14 USING gist (term public.gist_trgm_ops) WHERE (length(term) > 2);
create table thoth.substrate_terms_h15 partition of thoth.substrate_terms for values with (modulus 16, remainder 15) with (fillfactor=70);
CREATE INDEX substrate_terms_h15_term_idx ON thoth.substrate_terms_h15 USING gist (term public.gist_trgm_ops) WHERE (length(term) > 2);

alter table thoth.substrate_item_vectors add constraint substrate_item_vectors_tenant_id_store_path_key_fkey FOREIGN KEY (tenant_id, store, path, key) REFERENCES thoth.substrate_items(tenant_id, store, path, key) ON DELETE CASCADE;
alter table thoth.substrate_keywords add constraint substrate_keywords_tenant_id_concept_id_fkey FOREIGN KEY (tenant_id, concept_id) REFERENCES thoth.substrate_concepts(tenant_id, concept_id) ON DELETE CASCADE;
alter table thoth.substrate_sources add constraint substrate_sources_tenant_id_concept_id_fkey FOREIGN KEY (tenant_id, concept_id) REFERENCES thoth.substrate_concepts(tenant_id, concept_id) ON DELETE CASCADE;
alter table thoth.substrate_streams add constraint substrate_streams_profile_fkey FOREIGN KEY (profile) REFERENCES thoth.substrate_profiles(profile);

insert into thoth.substrate_profiles (profile, half_life, floor, reinforce, pending_ttl, consolidation_window, tombstone, tombstone_reason, release_unconsolidated_after, expire_after)
    values ('default-binary', '30 days 0:00:00'::interval, 0.1, 0.15, '0:10:00'::interval, '7 days 0:00:00'::interval, 'thin', NULL, NULL, '90 days 0:00:00'::interval);
insert into thoth.substrate_profiles (profile, half_life, floor, reinforce, pending_ttl, consolidation_window, tombstone, tombstone_reason, release_unconsolidated_after, expire_after)
    values ('default-signal', '6:00:00'::interval, 0.02, 0.02, '0:00:30'::interval, '1:00:00'::interval, 'none', 'Readings are many and each alone means nothing.', NULL, '7 days 0:00:00'::interval);
insert into thoth.substrate_profiles (profile, half_life, floor, reinforce, pending_ttl, consolidation_window, tombstone, tombstone_reason, release_unconsolidated_after, expire_after)
    values ('default-structured', '2 days 0:00:00'::interval, 0.05, 0.05, '0:02:00'::interval, '12:00:00'::interval, 'thin', NULL, NULL, '30 days 0:00:00'::interval);
insert into thoth.substrate_profiles (profile, half_life, floor, reinforce, pending_ttl, consolidation_window, tombstone, tombstone_reason, release_unconsolidated_after, expire_after)
    values ('default-text', '14 days 0:00:00'::interval, 0.05, 0.1, '0:05:00'::interval, '1 day 0:00:00'::interval, 'thin', NULL, NULL, '90 days 0:00:00'::interval);
insert into thoth.substrate_profiles (profile, half_life, floor, reinforce, pending_ttl, consolidation_window, tombstone, tombstone_reason, release_unconsolidated_after, expire_after)
    values ('diary', '30 days 0:00:00'::interval, 0.05, 0.0, '0:05:00'::interval, '1 day 0:00:00'::interval, 'thin', NULL, NULL, '90 days 0:00:00'::interval);
insert into thoth.substrate_profiles (profile, half_life, floor, reinforce, pending_ttl, consolidation_window, tombstone, tombstone_reason, release_unconsolidated_after, expire_after)
    values ('log', '30 days 0:00:00'::interval, 0.05, 0.0, '0:05:00'::interval, '1 day 0:00:00'::interval, 'thin', NULL, NULL, '180 days 0:00:00'::interval);
