-- tier_learned(endpoint text, model text, tier text) -> -
-- The way of asking that has just worked.
insert into thoth.substrate_chat_models (endpoint, model, tier)
values ($1, $2, $3)
on conflict (endpoint, model) do update set tier = excluded.tier, learned_at = thoth.substrate_now()
