-- model_activate(model text) -> -
-- From here on its vectors are the ones searched.
update thoth.substrate_embedding_models set active = true where model = $1 and not active
