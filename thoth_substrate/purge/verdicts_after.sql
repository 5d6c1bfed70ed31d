-- verdicts_after(tenant text, after_id uuid, since timestamptz, limit_rows bigint) -> Judged
-- Why other slices' passages were judged as they were, page by page.
select slice_id as row_id, string_agg(reason, ' ') as text from thoth.substrate_verdicts
where tenant_id = $1 and slice_id > $2 and judged_at >= $3 and reason <> '' group by slice_id order by slice_id limit $4
