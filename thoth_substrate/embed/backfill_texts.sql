-- backfill_texts(tenant text, passage_ids bigint[]) -> PassageText
-- Passages with the passage before them in their session. Each slice's text is fetched once, however many of its pieces are asked for.
with own as materialized (
    -- the subtraction is done here: in the join's condition it is not leakproof, and row-level security would then scan
    select p.passage_id, p.slice_id, p.char_start, p.char_end, p.actor, p.session_no, p.seq - 1 as before_seq
    from unnest($2::bigint[]) w(passage_id)
    join thoth.substrate_passages p on p.tenant_id = $1 and p.passage_id = w.passage_id
), asked as materialized (
    select o.*, b.slice_id as before_slice, b.char_start as before_start, b.char_end as before_end, b.actor as before_actor
    from own o
    left join thoth.substrate_passages b on b.tenant_id = $1 and b.session_no = o.session_no and b.seq = o.before_seq
), ranges as materialized (
    select slice_id, min(char_start) as char_start, max(char_end) as char_end
    from (
        select slice_id, char_start, char_end from asked
        union all
        select before_slice, before_start, before_end from asked where before_slice is not null
    ) r
    group by slice_id
), texts as materialized (
    select r.slice_id, r.char_start, substr(s.text, r.char_start + 1, r.char_end - r.char_start) as text
    from ranges r
    join thoth.substrate_slices s
        on s.tenant_id = $1 and s.slice_id = r.slice_id and s.ingest_time = thoth.substrate_id_time(r.slice_id)
    where not s.forgotten and s.consolidation_state <> 'released'
)
select a.passage_id as passage_id, a.actor as actor,
    substr(t.text, a.char_start - t.char_start + 1, a.char_end - a.char_start) as text,
    a.before_actor as before_actor,
    substr(b.text, a.before_start - b.char_start + 1, a.before_end - a.before_start) as before_text
from asked a
join texts t on t.slice_id = a.slice_id
left join texts b on b.slice_id = a.before_slice
