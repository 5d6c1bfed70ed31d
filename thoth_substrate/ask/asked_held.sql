-- asked_held(tenant text, slice_ids uuid[], row_ids bigint[], from_time timestamptz, to_time timestamptz) -> Held
-- Of what an answer cites, what is there: it may have been forgotten or purged while a model was thinking about it.
select s.slice_id, null::bigint as row_id
from thoth.substrate_slices s
where s.tenant_id = $1 and s.slice_id = any ($2) and s.ingest_time >= $4 and s.ingest_time <= $5 and not s.forgotten
union all
select null, r.relationship_id from thoth.substrate_relationships r where r.tenant_id = $1 and r.relationship_id = any ($3)
union all
select null, p.pattern_id from thoth.substrate_patterns p where p.tenant_id = $1 and p.pattern_id = any ($3)
union all
select null, o.observation_id from thoth.substrate_observations o where o.tenant_id = $1 and o.observation_id = any ($3)
