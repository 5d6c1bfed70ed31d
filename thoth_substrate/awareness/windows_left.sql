-- windows_left(tenant text, concept_ids bigint[], type text) -> Window
-- Windows of theirs in which something is left that an agent may read.
select split_part(x.ref, '/', 1) as stream, substr(x.ref, strpos(x.ref, '/') + 1) as session, min(x.from_time) as from_time,
    max(x.to_time) as to_time
from thoth.substrate_sources x
where x.tenant_id = $1 and x.concept_id = any ($2::bigint[]) and x.type = $3 and exists (
    select from thoth.substrate_slices s
    where s.tenant_id = $1 and s.session_id = substr(x.ref, strpos(x.ref, '/') + 1)
        and s.event_time between x.from_time and x.to_time and s.triage_state = 'passed' and not s.forgotten and s.text <> ''
)
group by x.ref order by x.ref
