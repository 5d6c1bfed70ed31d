-- months_made(from_month date, ahead integer) -> Count
-- A month and those after it, for everything that is kept by month; what is there already costs a look-up.
select thoth.substrate_make_months($1, $2) as n
