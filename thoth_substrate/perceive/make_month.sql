-- make_month(month date) -> MadeMonth
-- A batch may come to a month that nobody has made yet; true when this call made it.
select thoth.substrate_make_month('substrate_slices', $1::date) as made
