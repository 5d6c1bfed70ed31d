-- model_active() -> ModelRow
-- The model whose vectors are searched.
select model, dimensions::int as dimensions, centre from thoth.substrate_embedding_models where active
