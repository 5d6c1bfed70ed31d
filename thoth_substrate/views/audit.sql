-- audit(tenant text) -> Chain
-- The whole chain in one pass, in order: entries, and anchors where a month is gone. What cannot be read counts as missing.
with entries as materialized (
    select (s.metadata ->> 'seq')::bigint as seq, decode(s.metadata ->> 'prev', 'hex') as prev, decode(s.metadata ->> 'link', 'hex') as link,
        s.content_hash, s.slice_id, s.payload is not null as held,
        s.payload is null or (digest(convert_to(s.payload::text, 'UTF8'), 'sha256') = s.content_hash and s.payload ->> 'agent' = s.actor)
            as unedited
    from thoth.substrate_slices s
    join thoth.substrate_streams st on st.stream_id = s.stream_id and st.stream = 'substrate.self_state'
    where s.tenant_id = $1 and s.session_id = 'diary'
        and s.metadata ->> 'seq' ~ '^\d{1,18}$' and s.metadata ->> 'prev' ~ '^[0-9a-f]{64}$' and s.metadata ->> 'link' ~ '^[0-9a-f]{64}$'
), bridges as materialized (
    -- An anchor stands for a month only once that month is gone: beside a living one it would hide what is missing there.
    select a.first_seq, a.last_seq, a.first_prev, a.last_link
    from thoth.substrate_audit_anchors a
    where a.tenant_id = $1 and not exists (
        select from pg_inherits i
        where i.inhparent = 'thoth.substrate_slices'::regclass and not i.inhdetachpending
            and i.inhrelid = to_regclass('thoth.substrate_slices_y' || to_char(a.month, 'YYYY') || 'm' || to_char(a.month, 'MM'))
    )
), steps as (
    select e.seq as first_seq, e.seq as last_seq, e.prev, e.link, e.slice_id, e.held, e.unedited,
        digest(e.prev || e.content_hash, 'sha256') = e.link as linked, 1 as entries, 0 as months
    from entries e
    where not exists (select from bridges b where e.seq between b.first_seq and b.last_seq)
    union all
    select b.first_seq, b.last_seq, b.first_prev, b.last_link, null, true, true, true, 0, 1 from bridges b
), walk as (
    select s.*, coalesce(lag(s.last_seq) over o, 0) + 1 as expected_seq,
        coalesce(lag(s.link) over o, decode(repeat('00', 32), 'hex')) as expected_prev
    from steps s window o as (order by s.first_seq, s.last_seq)
), judged as (
    select w.*, case
        when first_seq <> expected_seq then case when first_seq > expected_seq then 'missing' else 'inserted' end
        when not unedited then 'edited'
        when prev <> expected_prev or not linked then 'broken'
    end as fault
    from walk w
), first_fault as (
    select fault, case when fault = 'missing' then expected_seq else first_seq end as at_seq,
        case when fault <> 'missing' then slice_id end as slice_id
    from judged where fault is not null order by first_seq, last_seq limit 1
), newest as (
    select last_seq, link from judged order by first_seq desc, last_seq desc limit 1
), head as (
    select h.seq, h.head from thoth.substrate_audit_heads h where h.tenant_id = $1
)
select coalesce((select sum(entries) from steps), 0)::bigint as entries,
    (select count(*) from steps where not held) as purged,
    coalesce((select sum(months) from steps), 0)::bigint as months_dropped,
    ends.head_seq as newest_seq,
    coalesce(f.fault, case
        when ends.last_seq < ends.head_seq then 'missing'
        when ends.last_seq > ends.head_seq then 'inserted'
        when ends.link <> ends.head then 'broken'
    end) as fault,
    -- the chain's end does not meet the head: the first one missing, the first one too many, or the last
    coalesce(f.at_seq, least(ends.last_seq, ends.head_seq) + case when ends.last_seq = ends.head_seq then 0 else 1 end) as at_seq,
    f.slice_id as slice_id
from (
    select coalesce((select seq from head), 0) as head_seq, (select head from head) as head,
        coalesce((select last_seq from newest), 0) as last_seq, (select link from newest) as link
) ends
left join first_fault f on true
