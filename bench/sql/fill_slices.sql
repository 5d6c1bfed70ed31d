-- Slices as perceived and passed long ago, with their salience.
with slices as (
    insert into thoth.substrate_slices (tenant_id, slice_id, ingest_time, stream_id, session_id, actor, event_time, triage_state, content_hash, text)
    select %(tenant)s, s.slice_id, thoth.substrate_id_time(s.slice_id), c.stream_id, s.session_id, s.actor, s.event_time, 'passed',
        sha256(convert_to(s.text, 'UTF8')), s.text
    from staged s join thoth.substrate_streams c using (stream)
    order by s.n
)
insert into thoth.substrate_salience (tenant_id, slice_id, anchor, anchored_at, half_life, fades_at, profile)
select %(tenant)s, slice_id, 1, thoth.substrate_id_time(slice_id), interval '14 days',
    thoth.substrate_id_time(slice_id) + interval '60 days', 'default-text'
from staged order by n
