-- row_ids(count bigint) -> RowId
-- Numbers drawn before the rows are written, so that rows of one batch can name each other.
select nextval('thoth.substrate_row_ids') as row_id from generate_series(1, $1::bigint)
