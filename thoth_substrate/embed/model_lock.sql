-- model_lock() -> -
-- One registration or switch at a time, so that there is one active model and never two.
select pg_advisory_xact_lock(hashtext('thoth.substrate_embedding_models'))
