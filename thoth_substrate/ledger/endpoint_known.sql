-- endpoint_known(endpoint text) -> -
-- Its first failure makes its row.
insert into thoth.substrate_endpoints (endpoint) values ($1) on conflict do nothing
