-- Items: values that hosts keep in a store of their own (LangGraph's BaseStore, the sessions of an agent's SDK), given back exactly.
-- Only adds.
create sequence thoth.substrate_item_numbers as bigint;
comment on sequence thoth.substrate_item_numbers is 'Numbers of changes to items: growing in the order in which one store''s log is written, so without a cache.';

create table thoth.substrate_items (
    tenant_id text not null,
    store text not null,
    path text collate "C" not null,
    key text collate "C" not null,
    namespace text[] not null,
    value jsonb not null,
    number bigint not null default nextval('thoth.substrate_item_numbers'),
    said text,
    noted bigint,
    created_at timestamptz not null default thoth.substrate_now(),
    updated_at timestamptz not null default thoth.substrate_now(),
    ttl interval,
    expires_at timestamptz,
    primary key (tenant_id, store, path, key)
);
create index substrate_items_expires on thoth.substrate_items (tenant_id, expires_at) where expires_at is not null;
comment on table thoth.substrate_items is 'What hosts keep under names of their own. Never redacted and never faded: a store gives back what was put.';
comment on column thoth.substrate_items.tenant_id is 'The tenant.';
comment on column thoth.substrate_items.store is 'Whose store: langgraph, openai-agents. One host''s names never meet another''s.';
comment on column thoth.substrate_items.path is 'The namespace as one text, each label with a dot after it, so that a branch is one range. Arrays cannot be looked up behind row-level security: their operators are not leakproof.';
comment on column thoth.substrate_items.namespace is 'Labels from the root down.';
comment on column thoth.substrate_items.key is 'The name within the namespace. In a log: the number of the entry, padded, so that names sort as they came.';
comment on column thoth.substrate_items.value is 'As it was put.';
comment on column thoth.substrate_items.number is 'The last change. Orders items of one instant.';
comment on column thoth.substrate_items.said is 'SHA-256 of the words that were perceived of it; null when none are to be.';
comment on column thoth.substrate_items.noted is 'The change whose words were perceived: their external id. Null when none were.';
comment on column thoth.substrate_items.created_at is 'When the name was first put, or put anew after it was gone.';
comment on column thoth.substrate_items.updated_at is 'When it was last put.';
comment on column thoth.substrate_items.ttl is 'How long it lives after it was put, or last read by who asks for that; null for ever.';
comment on column thoth.substrate_items.expires_at is 'Until when. Then it may be swept.';

create table thoth.substrate_item_vectors (
    tenant_id text not null,
    store text not null,
    path text collate "C" not null,
    key text collate "C" not null,
    field text not null,
    model text not null,
    embedding halfvec not null,
    primary key (tenant_id, store, path, key, field),
    foreign key (tenant_id, store, path, key) references thoth.substrate_items on delete cascade
);
comment on table thoth.substrate_item_vectors is 'Vectors of the fields of items that are to be found by meaning.';
comment on column thoth.substrate_item_vectors.tenant_id is 'The tenant.';
comment on column thoth.substrate_item_vectors.store is 'Whose store.';
comment on column thoth.substrate_item_vectors.path is 'The item''s.';
comment on column thoth.substrate_item_vectors.key is 'The item''s.';
comment on column thoth.substrate_item_vectors.field is 'Where the text stands in the value: a path, and a number where it leads to several texts.';
comment on column thoth.substrate_item_vectors.model is 'Who made it. Vectors of different makers are never compared.';
comment on column thoth.substrate_item_vectors.embedding is 'The vector, in the model''s native dimension.';

create table thoth.substrate_items_unsaid (
    tenant_id text not null,
    store text not null,
    number bigint not null,
    queued_at timestamptz not null default thoth.substrate_now(),
    primary key (tenant_id, store, number)
);
comment on table thoth.substrate_items_unsaid is 'Words of items that were replaced, deleted or swept, kept by a trigger until their slices are forgotten.';
comment on column thoth.substrate_items_unsaid.tenant_id is 'The tenant.';
comment on column thoth.substrate_items_unsaid.store is 'Whose store.';
comment on column thoth.substrate_items_unsaid.number is 'The change whose words are to be forgotten.';
comment on column thoth.substrate_items_unsaid.queued_at is 'Since when. After an hour without a slice there will be none.';

create function thoth.substrate_unsay_item() returns trigger
    language plpgsql set search_path = thoth, pg_temp
as $$
begin
    if tg_op = 'DELETE' or new.noted is distinct from old.noted then
        insert into substrate_items_unsaid (tenant_id, store, number) values (old.tenant_id, old.store, old.noted) on conflict do nothing;
    end if;
    return null;
end $$;
comment on function thoth.substrate_unsay_item() is 'Notes whose words are to be forgotten, whoever replaced or took away the item.';

create trigger substrate_unsay_item after delete or update of noted on thoth.substrate_items
    for each row when (old.noted is not null)
    execute function thoth.substrate_unsay_item();

do $$
declare
    target text;
begin
    foreach target in array array['substrate_items', 'substrate_item_vectors', 'substrate_items_unsaid'] loop
        execute format('alter table thoth.%I enable row level security', target);
        execute format('alter table thoth.%I force row level security', target);
        execute format('create policy tenant on thoth.%I to thoth_app using (tenant_id = thoth.substrate_tenant()) with check (tenant_id = thoth.substrate_tenant())', target);
        execute format('grant select, insert, update, delete on thoth.%I to thoth_app', target);
    end loop;
end $$;
grant usage on sequence thoth.substrate_item_numbers to thoth_app;
