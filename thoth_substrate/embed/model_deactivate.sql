-- model_deactivate(model text) -> -
-- Before another becomes active: the unique index allows no moment with two.
update thoth.substrate_embedding_models set active = false where active and model <> $1
