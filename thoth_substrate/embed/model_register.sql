-- model_register(model text, dimensions smallint, centre real[]) -> -
-- The first model becomes the active one; a later one waits for `embed reembed`.
insert into thoth.substrate_embedding_models (model, dimensions, centre, active)
select $1, $2::smallint, $3::real[], not exists (select from thoth.substrate_embedding_models where active)
on conflict (model) do nothing
