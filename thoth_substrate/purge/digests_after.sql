-- digests_after(tenant text, after_id uuid, since timestamptz, limit_rows bigint) -> Judged
-- What was said of other slices as a whole since then, page by page: the purged words may have stood before them.
select slice_id as row_id, summary || ' ' || array_to_string(topics, ' ') as text from thoth.substrate_digests
where tenant_id = $1 and slice_id > $2 and digested_at >= $3 order by slice_id limit $4
