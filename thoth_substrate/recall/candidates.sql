-- candidates(tenant text, terms text[], idf float8[], row_limit bigint, rare int, average_length float8, limit_rows bigint, period_from timestamptz[], period_to timestamptz[], except_session text, not_before timestamptz, recent_rows bigint, whole int, last_id uuid) -> CandidateColumns
-- What the legs found that need no vector, with two neighbours of its session on each side, and all that ranking looks at: one row of columns, put together by the caller. Joined here, a misjudged number of rows would make loops within loops.
with q as materialized (
    select term, idf, (place - 1)::int as bit from unnest($2::text[], $3::float8[]) with ordinality u(term, idf, place)
), hits as materialized (
    -- Rarest terms first, as far as the row budget reaches ($5 of them): a common word can never cost a scan.
    select p.passage_id, sum(q.idf * p.count * 1.9::float8 / (p.count + 0.45::float8 + 0.45::float8 * p.length / $6)) as keyword,
        bit_or(1::bigint << q.bit) as mask
    from q cross join lateral (
        select passage_id, count, length from thoth.substrate_postings
        where tenant_id = $1 and term = q.term order by passage_id desc limit $4
    ) p
    where q.bit < $5
    group by p.passage_id
), seeds as materialized (
    select passage_id, bit_or(leg) as legs from (
        select passage_id, 2 as leg from (select passage_id from hits order by keyword desc limit $7) k
        union all
        select passage_id, 4 from (
            select t.passage_id from unnest($8::timestamptz[], $9::timestamptz[]) period(starts, ends)
            cross join lateral (
                select passage_id from thoth.substrate_passages
                where tenant_id = $1 and event_time >= period.starts and event_time < period.ends order by event_time limit 40
            ) t
        ) timed
        union all
        select passage_id, 8 from (
            select p.passage_id from thoth.substrate_salience s
            join thoth.substrate_passages p on p.tenant_id = s.tenant_id and p.slice_id = s.slice_id
            where s.tenant_id = $1 and s.pinned limit 40
        ) pinned
        union all
        select passage_id, 16 from (
            select passage_id from thoth.substrate_passages where tenant_id = $1 order by event_time desc limit $12
        ) recent
    ) u group by passage_id
), stretches as materialized (
    -- Two neighbours of its session on each side; where those of two seeds meet, they are read as one stretch.
    select session_no, min(seq) - 2 as first, max(seq) + 2 as last
    from (
        select session_no, seq, count(*) filter (where gap > 5) over (partition by session_no order by seq) as stretch
        from (
            select session_no, seq, seq - lag(seq) over (partition by session_no order by seq) as gap
            from thoth.substrate_passages
            where tenant_id = $1 and passage_id = any (array(select passage_id from seeds))
        ) placed
    ) gathered
    group by session_no, stretch
), found as materialized (
    select p.*
    from stretches s cross join lateral (
        select passage_id, slice_id, passage_no, stream_id, session_no, seq, actor, event_time, flags, trust, char_end - char_start as chars, length
        from thoth.substrate_passages
        where tenant_id = $1 and session_no = s.session_no and seq between s.first and s.last and event_time >= $11 and slice_id <= $14
    ) p
    where p.session_no not in (select session_no from thoth.substrate_sessions where tenant_id = $1 and session_id = $10)
), common as materialized (
    -- Terms beyond the row budget count too, but only where something else led: exact, and never a scan.
    select p.passage_id, sum(q.idf * p.count * 1.9::float8 / (p.count + 0.45::float8 + 0.45::float8 * p.length / $6)) as keyword,
        bit_or(1::bigint << q.bit) as mask
    from q cross join lateral (
        select passage_id, count, length from thoth.substrate_postings
        where tenant_id = $1 and term = q.term and passage_id = any (array(select passage_id from found))
    ) p
    where q.bit >= $13
    group by p.passage_id
), levels as materialized (
    select slice_id, thoth.substrate_level(anchor, anchored_at, half_life, pinned) as level, pinned
    from thoth.substrate_salience
    where tenant_id = $1 and slice_id = any (array(select slice_id from found join seeds using (passage_id)))
)
select f.*, s.*, w.*, '{}'::bigint[] as alike_ids, '{}'::float8[] as similarities, a.*, b.*
from (
    select coalesce(array_agg(passage_id), '{}') as passage_ids, coalesce(array_agg(slice_id), '{}') as slice_ids,
        coalesce(array_agg(passage_no), '{}') as passage_nos, coalesce(array_agg(stream_id), '{}') as stream_ids,
        coalesce(array_agg(session_no), '{}') as session_nos, coalesce(array_agg(seq), '{}') as seqs,
        coalesce(array_agg(actor), '{}') as actors, coalesce(array_agg(date_part('epoch', event_time)), '{}') as event_times_s,
        coalesce(array_agg(flags), '{}') as flags, coalesce(array_agg(trust), '{}') as trusts, coalesce(array_agg(chars), '{}') as chars
    from (select * from found order by session_no, seq) ordered
) f cross join (
    select coalesce(array_agg(passage_id), '{}') as seed_ids, coalesce(array_agg(legs), '{}') as seed_legs from seeds
) s cross join (
    select coalesce(array_agg(passage_id), '{}') as worded_ids, coalesce(array_agg(keyword), '{}') as keywords, coalesce(array_agg(mask), '{}') as masks
    from (
        select passage_id, keyword, mask from hits where $13 > 0 and (passage_id in (select passage_id from found)) is true
        union all
        select passage_id, keyword, mask from common
    ) worded
) w cross join (
    select coalesce(array_agg(slice_id), '{}') as salient_ids, coalesce(array_agg(level), '{}') as levels, coalesce(array_agg(pinned), '{}') as pins from levels
) a cross join (
    select coalesce(sum(keyword), 0) as keyword_total, coalesce(sum(keyword * keyword), 0) as keyword_squares from hits
) b
