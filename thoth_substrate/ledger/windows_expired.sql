-- windows_expired(keep interval) -> -
-- Windows that are long over.
delete from thoth.substrate_budgets where starts_at < thoth.substrate_now() - $1::interval
