-- Takes the scope from who has it: what was before does not know it, and would refuse the whole token. Row security is lifted for that
-- one statement, since it binds the tables' owner as well.
alter table thoth.substrate_tokens no force row level security;
update thoth.substrate_tokens set scopes = array_remove(scopes, 'metrics') where 'metrics' = any (scopes);
alter table thoth.substrate_tokens force row level security;
alter table thoth.substrate_tokens drop constraint substrate_tokens_scopes_check;
alter table thoth.substrate_tokens add constraint substrate_tokens_scopes_check check (scopes <@ array['read', 'write', 'admin']);
comment on column thoth.substrate_tokens.scopes is 'What it allows: read, write, admin. None of them: nothing.';
