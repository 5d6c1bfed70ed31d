-- month_anchors(tenant text, month date, from_time timestamptz, to_time timestamptz) -> -
-- What is left of a dropped month's part of the chain. Written before the month is detached; the same again changes nothing.
insert into thoth.substrate_audit_anchors (tenant_id, month, first_seq, last_seq, first_prev, last_link)
select $1, $2, min(e.seq), max(e.seq), (array_agg(e.prev order by e.seq))[1], (array_agg(e.link order by e.seq desc))[1]
from (
    select (s.metadata ->> 'seq')::bigint as seq, decode(s.metadata ->> 'prev', 'hex') as prev, decode(s.metadata ->> 'link', 'hex') as link
    from thoth.substrate_slices s
    where s.tenant_id = $1 and s.ingest_time >= $3 and s.ingest_time < $4 and s.session_id = 'diary' and s.consolidation_state = 'exempt'
) e
having count(*) > 0
on conflict (tenant_id, month) do nothing
