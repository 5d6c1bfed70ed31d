-- candidates(tenant text, terms text[], idf float8[], row_limit bigint, rare int, average_length float8, limit_rows bigint, near bigint[], model text, question halfvec, period_from timestamptz[], period_to timestamptz[], except_session text, not_before timestamptz, recent_rows bigint) -> Candidate
-- The union of what each leg found, with two neighbours of its session on each side, and all that ranking looks at.
with session as materialized (
    select session_no from thoth.substrate_sessions where tenant_id = $1 and session_id = $13
), q as materialized (
    select term, idf, (place - 1)::int as bit from unnest($2::text[], $3::float8[]) with ordinality u(term, idf, place)
), hits as materialized (
    -- Rarest terms first, as far as the row budget reaches ($5 of them): a common word can never cost a scan.
    select p.passage_id, sum(q.idf * p.count * 1.9 / (p.count + 0.9 * (0.5 + 0.5 * p.length / $6::float8))) as keyword
    from q cross join lateral (
        select passage_id, count, length from thoth.substrate_postings
        where tenant_id = $1 and term = q.term order by passage_id desc limit $4
    ) p
    where q.bit < $5
    group by p.passage_id
), spread as materialized (
    select coalesce(sum(keyword), 0) as total, coalesce(sum(keyword * keyword), 0) as squares from hits
), seeds as materialized (
    select passage_id, bit_or(leg) as legs from (
        select passage_id, 1 as leg from unnest($8::bigint[]) n(passage_id)
        union all
        select passage_id, 2 from (select passage_id from hits order by keyword desc limit $7) k
        union all
        select passage_id, 4 from (
            select t.passage_id from unnest($11::timestamptz[], $12::timestamptz[]) period(starts, ends)
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
            select passage_id from thoth.substrate_passages where tenant_id = $1 order by event_time desc limit $15
        ) recent
    ) u group by passage_id
), places as materialized (
    select p.session_no, p.seq + k.step as seq, max(case when k.step = 0 then s.legs else 0 end) as legs
    from seeds s
    join thoth.substrate_passages p on p.tenant_id = $1 and p.passage_id = s.passage_id
    cross join generate_series(-2, 2) k(step)
    group by p.session_no, p.seq + k.step
)
select p.passage_id, p.slice_id, p.passage_no, p.stream_id, p.session_no, p.seq, p.actor, p.event_time, p.flags, p.trust,
    p.char_end - p.char_start as chars, l.legs,
    v.similarity, matched.keyword, matched.mask,
    a.level as salience, coalesce(a.pinned, false) as pinned,
    spread.total as keyword_total, spread.squares as keyword_squares
from places l
join thoth.substrate_passages p on p.tenant_id = $1 and p.session_no = l.session_no and p.seq = l.seq
cross join spread
cross join lateral (
    -- From the passage's own terms: exact for every term, those beyond the row budget included.
    select coalesce(sum(q.idf * t.count * 1.9 / (t.count + 0.9 * (0.5 + 0.5 * p.length / $6::float8))), 0) as keyword,
        coalesce(bit_or(1::bigint << q.bit), 0) as mask
    from unnest(p.terms, p.counts) t(term, count) join q on q.term = t.term
) matched
left join lateral (
    select max(-(embedding <#> $10::halfvec)) as similarity from thoth.substrate_passage_vectors
    where tenant_id = $1 and model = $9 and passage_id = p.passage_id and $10 is not null
) v on true
left join lateral (
    select anchor * power(2.0::float8, -greatest(date_part('epoch', thoth.substrate_now() - anchored_at), 0) / date_part('epoch', half_life)) as level, s.pinned
    from thoth.substrate_salience s where s.tenant_id = $1 and s.slice_id = p.slice_id and l.legs > 0
) a on true
where p.session_no <> all (array(select session_no from session))
  and p.event_time >= $14
