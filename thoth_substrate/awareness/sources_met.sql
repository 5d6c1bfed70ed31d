-- sources_met(tenant text, concept_ids bigint[]) -> Met
-- The latest first: where it was spoken of last is read first.
select s.concept_id, s.type, s.ref, s.from_time, s.to_time
from unnest($2::bigint[]) w(concept_id)
join thoth.substrate_sources s on s.tenant_id = $1 and s.concept_id = w.concept_id
order by s.concept_id, s.to_time desc, s.type, s.ref
