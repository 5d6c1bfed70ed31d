-- model_named(model text) -> ModelRow
-- A registered model by its name.
select model, dimensions::int as dimensions, centre from thoth.substrate_embedding_models where model = $1
