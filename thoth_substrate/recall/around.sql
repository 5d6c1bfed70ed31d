-- around(tenant text, near bigint[], known bigint[], terms text[], idf float8[], average_length float8, model text, question halfvec, except_session text, not_before timestamptz, last_id uuid) -> CandidateColumns
-- What stands around the nearest by meaning and is not known yet, as candidates.sql tells it; and how like the question all of it is, known or not, unless the caller compared it itself.
with q as materialized (
    select term, idf, (place - 1)::int as bit from unnest($4::text[], $5::float8[]) with ordinality u(term, idf, place)
), known as materialized (
    select passage_id from unnest($3::bigint[]) k(passage_id)
), placed as materialized (
    select passage_id, slice_id, session_no, seq
    from thoth.substrate_passages where tenant_id = $1 and passage_id = any ($2)
), stretches as materialized (
    select session_no, min(seq) - 2 as first, max(seq) + 2 as last
    from (
        select session_no, seq, count(*) filter (where gap > 5) over (partition by session_no order by seq) as stretch
        from (select session_no, seq, seq - lag(seq) over (partition by session_no order by seq) as gap from placed) steps
    ) gathered
    group by session_no, stretch
), found as materialized (
    select p.*
    from stretches s cross join lateral (
        select passage_id, slice_id, passage_no, stream_id, session_no, seq, actor, event_time, flags, trust, char_end - char_start as chars, length
        from thoth.substrate_passages
        where tenant_id = $1 and session_no = s.session_no and seq between s.first and s.last and event_time >= $10 and slice_id <= $11
        offset 0  -- keeps it a look-up a stretch: joined, every passage of the tenant would be read
    ) p
    where p.session_no not in (select session_no from thoth.substrate_sessions where tenant_id = $1 and session_id = $9)
        and p.passage_id not in (select passage_id from known)
), worded as materialized (
    -- Their words, looked up one by one: bounded by what stands around, however common a word is.
    select p.passage_id, sum(q.idf * p.count * 1.9::float8 / (p.count + 0.45::float8 + 0.45::float8 * p.length / $6)) as keyword,
        bit_or(1::bigint << q.bit) as mask
    from q cross join lateral (
        select passage_id, count, length from thoth.substrate_postings
        where tenant_id = $1 and term = q.term and passage_id = any (array(select passage_id from found))
    ) p
    group by p.passage_id
), likeness as materialized (
    select passage_id, max(-(embedding <#> $8::halfvec)) as similarity
    from thoth.substrate_passage_vectors
    where tenant_id = $1 and model = $7
        and passage_id = any (array(select passage_id from (select passage_id from found union all select passage_id from known) u where $8 is not null))
    group by passage_id
), levels as materialized (
    select slice_id, thoth.substrate_level(anchor, anchored_at, half_life, pinned) as level, pinned
    from thoth.substrate_salience
    where tenant_id = $1 and slice_id = any (array(select slice_id from placed))
)
select f.*, $2 as seed_ids, array_fill(1, array[cardinality($2)]) as seed_legs, w.*, v.*, a.*, 0::float8 as keyword_total, 0::float8 as keyword_squares
from (
    select coalesce(array_agg(passage_id), '{}') as passage_ids, coalesce(array_agg(slice_id), '{}') as slice_ids,
        coalesce(array_agg(passage_no), '{}') as passage_nos, coalesce(array_agg(stream_id), '{}') as stream_ids,
        coalesce(array_agg(session_no), '{}') as session_nos, coalesce(array_agg(seq), '{}') as seqs,
        coalesce(array_agg(actor), '{}') as actors, coalesce(array_agg(date_part('epoch', event_time)), '{}') as event_times_s,
        coalesce(array_agg(flags), '{}') as flags, coalesce(array_agg(trust), '{}') as trusts, coalesce(array_agg(chars), '{}') as chars
    from found
) f cross join (
    select coalesce(array_agg(passage_id), '{}') as worded_ids, coalesce(array_agg(keyword), '{}') as keywords, coalesce(array_agg(mask), '{}') as masks from worded
) w cross join (
    select coalesce(array_agg(passage_id), '{}') as alike_ids, coalesce(array_agg(similarity), '{}') as similarities from likeness
) v cross join (
    select coalesce(array_agg(slice_id), '{}') as salient_ids, coalesce(array_agg(level), '{}') as levels, coalesce(array_agg(pinned), '{}') as pins from levels
) a
