-- expired() -> -
-- Of every tenant at once; keywords and sources go with their concept by cascade.
delete from thoth.substrate_concepts where expires_at <= (select thoth.substrate_now())
