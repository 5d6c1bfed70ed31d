-- tier(endpoint text, model text) -> Learned
-- A lesser way is forgotten after a while: servers and models are replaced under the same name.
select tier
from thoth.substrate_chat_models
where endpoint = $1 and model = $2 and (tier = 'schema' or learned_at > thoth.substrate_now() - interval '7 days')
