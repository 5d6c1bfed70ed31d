-- known(tenant text, terms text[], idf float8[], row_limit bigint, rare int, average_length float8, family bigint[], linked bigint[], weights real[], model text, question halfvec, compare_all boolean, also bigint[], at timestamptz, only_valid boolean, limit_rows bigint) -> Known
-- Facts, patterns and insights that the question's words, entities or meaning lead to, as asserted at an instant, with what they rest on. Every part is bounded by rows.
with q as materialized (
    select term, idf, (place - 1)::int as bit from unnest($2::text[], $3::float8[]) with ordinality u(term, idf, place)
), hits as materialized (
    select p.row_id, sum(q.idf * p.count * 1.9::float8 / (p.count + 0.45::float8 + 0.45::float8 * p.length / $6)) as keyword,
        bit_or(1::bigint << q.bit) as mask
    from q cross join lateral (
        select row_id, count, length from thoth.substrate_statement_postings where tenant_id = $1 and term = q.term limit $4
    ) p
    where q.bit < $5
    group by p.row_id
), alike as materialized (
    -- Few enough to compare one by one, which also tells how alike everything known is. In the key's order, so that it is
    -- read by the key, however many statements other tenants have.
    select row_id, -(embedding <#> $11::halfvec) as similarity
    from thoth.substrate_statements where $12 and tenant_id = $1 and embedding_model = $10
    order by row_id limit 5000
), about as materialized (
    select r.row_id, bool_or(r.named) as named, max(r.weight) as weight
    from (
        select x.relationship_id as row_id, true as named, 0::real as weight
        from unnest($7::bigint[]) f(entity_id) cross join lateral (
            (select relationship_id from thoth.substrate_relationships where tenant_id = $1 and subject_id = f.entity_id limit $16)
            union all
            (select relationship_id from thoth.substrate_relationships where tenant_id = $1 and object_id = f.entity_id limit $16)
        ) x
        union all
        select x.relationship_id, false, l.weight
        from unnest($8::bigint[], $9::real[]) l(entity_id, weight) cross join lateral (
            (select relationship_id from thoth.substrate_relationships where tenant_id = $1 and subject_id = l.entity_id limit 16)
            union all
            (select relationship_id from thoth.substrate_relationships where tenant_id = $1 and object_id = l.entity_id limit 16)
        ) x
    ) r
    group by r.row_id
), seeds as materialized (
    select row_id from (select row_id from hits order by keyword desc, row_id limit $16) k
    union
    select row_id from (select row_id from alike order by similarity desc limit $16) n
    union
    select row_id from about
    union
    select row_id from unnest($13::bigint[]) a(row_id)
), living as materialized (
    select relationship_id as row_id, 'fact' as kind, statement, confidence, valid_from, valid_to, functional, negated, subject_id, object_id
    from thoth.substrate_relationships
    where tenant_id = $1 and relationship_id = any (array(select row_id from seeds))
        and asserted_at <= $14 and (retracted_at is null or retracted_at > $14)
        and (not $15 or (valid_from <= $14 and (valid_to is null or valid_to > $14)))
    union all
    select pattern_id, case kind when 'pattern' then 'pattern' else 'insight' end, statement, confidence, valid_from, null,
        false, false, null, null
    from thoth.substrate_patterns
    where tenant_id = $1 and pattern_id = any (array(select row_id from seeds))
        and asserted_at <= $14 and (retracted_at is null or retracted_at > $14)
    union all
    -- Of what the mind notes of itself only statements count: a dream proposes, it does not know.
    select observation_id, 'insight', statement, coalesce(score, 1), observed_at, null, false, false, null, null
    from thoth.substrate_observations
    where tenant_id = $1 and observation_id = any (array(select row_id from seeds))
        and kind = 'self' and observed_at <= $14 and (retracted_at is null or retracted_at > $14)
), likeness as materialized (
    select row_id, -(embedding <#> $11::halfvec) as similarity
    from thoth.substrate_statements
    where tenant_id = $1 and embedding_model = $10 and row_id = any (array(select row_id from living where $11 is not null))
), background as materialized (
    select avg(similarity) as mean, stddev_pop(similarity) as deviation from alike
)
select l.row_id, l.kind, l.statement, l.confidence, l.valid_from, l.valid_to, l.functional, l.negated,
    coalesce(h.keyword, 0) as keyword, coalesce(h.mask, 0) as mask, n.similarity,
    coalesce(l.subject_id = any ($7::bigint[]) or l.object_id = any ($7::bigint[]), false) as named,
    coalesce(a.weight, 0)::float8 as linked, b.mean, b.deviation, c.slice_ids, c.passage_nos
from living l
left join hits h using (row_id)
left join likeness n using (row_id)
left join about a using (row_id)
cross join background b
cross join lateral (
    select coalesce(array_agg(slice_id order by event_time desc, slice_id, passage_no), '{}') as slice_ids,
        coalesce(array_agg(passage_no order by event_time desc, slice_id, passage_no), '{}') as passage_nos
    from (
        select distinct s.slice_id, s.passage_no, s.event_time
        from (
            (select slice_id, passage_no, event_time from thoth.substrate_citations where tenant_id = $1 and row_id = l.row_id and withdrawn_at is null limit 16)
            union all
            (select x.slice_id, x.passage_no, x.event_time
             from (select support_id from thoth.substrate_supports where tenant_id = $1 and row_id = l.row_id limit 16) p
             cross join lateral (
                 select slice_id, passage_no, event_time from thoth.substrate_citations
                 where tenant_id = $1 and row_id = p.support_id and withdrawn_at is null limit 4
             ) x)
        ) s
    ) cited
) c
