-- Takes the upper layers away, and what the Parser noted in its queue. What was consolidated stays marked so.
drop function thoth.substrate_intensity(text, text, timestamptz);
revoke select (took_ms, deadline_ms, empty_reason) on thoth.substrate_recall_log from thoth_worker;
drop table thoth.substrate_chat_models;
drop table thoth.substrate_endpoints;
drop table thoth.substrate_budgets;
drop table thoth.substrate_purges;
drop table thoth.substrate_agent_cost;
drop table thoth.substrate_cursors;
drop table thoth.substrate_dead_letters;
drop table thoth.substrate_calibration;
drop table thoth.substrate_outcomes;
drop table thoth.substrate_observations;
drop table thoth.substrate_patterns;
drop table thoth.substrate_communities;
drop table thoth.substrate_associations;
drop table thoth.substrate_unassociated;
drop table thoth.substrate_statement_postings;
drop table thoth.substrate_statements;
drop table thoth.substrate_digests;
drop table thoth.substrate_verdicts;
drop table thoth.substrate_supports;
drop table thoth.substrate_citations;
drop table thoth.substrate_relationships;
drop table thoth.substrate_entity_merges;
drop table thoth.substrate_entity_aliases;
drop table thoth.substrate_entities;
drop sequence thoth.substrate_row_ids;
-- Last, as its lock is held to the end of the transaction.
alter table thoth.substrate_unconsolidated
    drop column attempts, drop column not_before, drop column claimed_until, drop column claim, drop column failure;
create or replace function thoth.substrate_now() returns timestamptz
    language sql stable parallel safe
    return coalesce(nullif(current_setting('thoth.now', true), '')::timestamptz, clock_timestamp());
