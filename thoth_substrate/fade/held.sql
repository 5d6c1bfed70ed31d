-- held(tenant text, slice_id uuid) -> Held
-- The slice under lock, so that it is neither indexed, released nor promoted while its anchor moves.
select s.consolidation_state, s.forgotten
from thoth.substrate_slices s
where s.tenant_id = $1 and s.slice_id = $2 and s.ingest_time = thoth.substrate_id_time($2)
for no key update
