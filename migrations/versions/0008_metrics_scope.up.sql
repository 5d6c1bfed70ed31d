-- `metrics`: what a monitoring reads of all tenants, which no scope of one tenant includes.
alter table thoth.substrate_tokens drop constraint substrate_tokens_scopes_check;
alter table thoth.substrate_tokens add constraint substrate_tokens_scopes_check check (scopes <@ array['read', 'write', 'admin', 'metrics']);
comment on column thoth.substrate_tokens.scopes is 'What it allows: read, write, admin (all of them for its tenant), metrics (numbers of all tenants). None of them: nothing.';
