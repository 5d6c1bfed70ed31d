-- outcomes_note(tenant text, row_ids bigint[], outcomes text[], by_ids bigint[]) -> -
-- Noted once, however often it is seen.
insert into thoth.substrate_outcomes (tenant_id, row_id, outcome, by_id)
select $1, row_id, outcome, by_id from unnest($2::bigint[], $3::text[], $4::bigint[]) n(row_id, outcome, by_id)
on conflict do nothing
