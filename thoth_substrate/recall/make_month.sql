-- make_month(month date) -> -
-- The log's month may be missing when no worker has run for long: the flush of the log makes it.
select thoth.substrate_make_month('substrate_recall_log', $1::date)
