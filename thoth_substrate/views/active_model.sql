-- active_model() -> ActiveModel
-- At most one is active: a unique index says so.
select m.model, m.dimensions
from thoth.substrate_embedding_models m
where m.active
