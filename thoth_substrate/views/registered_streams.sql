-- registered_streams() -> _Stream
-- Every channel there is, the same for every tenant.
select t.stream, t.family, t.modality, t.source, t.profile, t.lifecycle
from thoth.substrate_streams t
order by t.stream
