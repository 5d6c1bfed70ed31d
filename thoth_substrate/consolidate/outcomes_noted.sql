-- outcomes_noted(tenant text, row_ids bigint[], outcomes text[], by_ids bigint[]) -> -
-- Contradicted and corrected: what calibration counts against a confidence.
insert into thoth.substrate_outcomes (tenant_id, row_id, outcome, by_id)
select $1, w.row_id, w.outcome, w.by_id from unnest($2::bigint[], $3::text[], $4::bigint[]) w(row_id, outcome, by_id)
order by w.row_id, w.by_id
on conflict (tenant_id, row_id, outcome, by_id) do nothing
