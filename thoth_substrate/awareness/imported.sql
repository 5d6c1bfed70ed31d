-- imported(tenant text, source text, external_id text) -> Row
-- What is outside may have been imported: then it is here, too.
select s.slice_id, st.stream, s.actor, s.event_time,
    case when s.forgotten then 'forgotten' when s.consolidation_state = 'released' then 'released' else 'kept' end as state,
    case when s.forgotten then '' else s.text end as text, s.external_id, st.source as origin
from thoth.substrate_external_ids x
join thoth.substrate_slices s on s.tenant_id = $1 and s.slice_id = x.slice_id and s.ingest_time = thoth.substrate_id_time(x.slice_id)
join thoth.substrate_streams st on st.stream_id = s.stream_id
where x.tenant_id = $1 and x.source = $2 and x.external_id = $3 and s.triage_state = 'passed'
