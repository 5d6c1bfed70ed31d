-- parser_preceding(tenant text, session text, before timestamptz, besides uuid[], limit_rows bigint, most_chars integer) -> Before
-- The last words of a session before a batch of it, oldest first. Of each only the end is read: it is context, and not parsed again.
select slice_id, actor, event_time, text
from (
    select s.slice_id, s.actor, s.event_time, right(s.text, $6 * 4) as text
    from thoth.substrate_slices s
    where s.tenant_id = $1 and s.session_id = $2 and s.event_time <= $3 and s.slice_id <> all($4::uuid[])
        and s.triage_state = 'passed' and s.consolidation_state not in ('released', 'exempt') and not s.forgotten and s.text <> ''
    order by s.event_time desc, s.slice_id desc
    limit $5
) newest
order by event_time, slice_id
