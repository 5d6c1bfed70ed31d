-- diary_append(tenant text, agent text, decision jsonb, slice_id uuid) -> Appended
-- Born passed and exempt: no queue, no anchor, no passage. Time and digests are the server's own, taken under the lock on the head;
-- a slice id that was given stands for the time when the decision began, and for its month. Materialized, so that a large entry is
-- written out and digested once.
with head as (
    select seq + 1 as seq, head as prev, date_trunc('milliseconds', thoth.substrate_now()) as at
    from thoth.substrate_audit_heads where tenant_id = $1
), entry as materialized (
    select head.*, jsonb_build_object('agent', $2::text, 'decision', $3::jsonb,
        'at', to_char(head.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) as payload from head
), digested as materialized (
    select entry.*, digest(convert_to(entry.payload::text, 'UTF8'), 'sha256') as payload_digest from entry
), linked as (
    select digested.*, digest(prev || payload_digest, 'sha256') as link,
        coalesce($4::uuid, (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(seq % 4096), 3, '0')
            || right(replace(gen_random_uuid()::text, '-', ''), 16))::uuid) as slice_id
    from digested
), moved as (
    update thoth.substrate_audit_heads h set seq = l.seq, head = l.link from linked l where h.tenant_id = $1
)
insert into thoth.substrate_slices (tenant_id, slice_id, ingest_time, stream_id, session_id, actor, event_time, triage_state,
    consolidation_state, content_hash, text, payload, metadata)
select $1, l.slice_id, thoth.substrate_id_time(l.slice_id), st.stream_id, 'diary', $2, l.at, 'passed', 'exempt', l.payload_digest, '', l.payload,
    jsonb_build_object('seq', l.seq, 'prev', encode(l.prev, 'hex'), 'link', encode(l.link, 'hex'))
from linked l
join thoth.substrate_streams st on st.stream = 'substrate.self_state'
returning slice_id
