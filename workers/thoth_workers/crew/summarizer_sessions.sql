-- summarizer_sessions(tenant text, after_no integer, limit_rows bigint, summary_stream text, longest_bytes integer) -> SessionLine
-- The next sessions with what is left to sum up of each: everything after the last slice that its newest summary stands for.
select x.session_no, x.session_id, c.slices, c.newest, t.through
from (
    select session_no, session_id from thoth.substrate_sessions
    where tenant_id = $1 and session_no > $2 and session_id not in ('', 'diary')
    order by session_no limit $3
) x
left join lateral (
    select (s.metadata ->> 'through')::uuid as through
    from thoth.substrate_slices s join thoth.substrate_streams st on st.stream_id = s.stream_id and st.stream = $4
    where s.tenant_id = $1 and s.session_id = x.session_id and s.metadata ->> 'through' is not null
    order by s.slice_id desc limit 1
) t on true
cross join lateral (
    select count(*) as slices, max(s.ingest_time) as newest
    from thoth.substrate_slices s join thoth.substrate_streams st on st.stream_id = s.stream_id and st.stream <> $4
    where s.tenant_id = $1 and s.session_id = x.session_id and s.triage_state = 'passed' and not s.forgotten and s.text <> ''
        and s.consolidation_state not in ('released', 'exempt') and octet_length(s.text) <= $5
        and (t.through is null or s.slice_id > t.through)
) c
order by x.session_no
