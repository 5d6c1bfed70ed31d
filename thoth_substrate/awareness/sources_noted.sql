-- sources_noted(tenant text, concept_id bigint, types text[], refs text[], from_times timestamptz[], to_times timestamptz[]) -> -
-- A source that the concept has is widened to both windows.
insert into thoth.substrate_sources (tenant_id, concept_id, type, ref, from_time, to_time)
select $1, $2, w.type, w.ref, w.from_time, w.to_time
from unnest($3::text[], $4::text[], $5::timestamptz[], $6::timestamptz[]) w(type, ref, from_time, to_time)
on conflict (tenant_id, concept_id, type, ref) do update
set from_time = least(substrate_sources.from_time, excluded.from_time), to_time = greatest(substrate_sources.to_time, excluded.to_time)
