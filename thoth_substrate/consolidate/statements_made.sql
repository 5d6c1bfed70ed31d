-- statements_made(tenant text, row_ids bigint[], layers text[], lengths int[], embeddings halfvec[], embedding_model text, term_ends int[], terms text[], counts smallint[]) -> -
-- Sentences and their postings. One that was there keeps its vector: its words are the same, only its names were learned.
with sentences as (
    select w.row_id, w.layer, w.length, w.embedding, ($8::text[])[w.term_end - w.term_count + 1 : w.term_end] as terms,
        ($9::smallint[])[w.term_end - w.term_count + 1 : w.term_end] as counts
    from (
        select u.*, u.term_end - coalesce(lag(u.term_end) over (order by u.place), 0) as term_count
        from unnest($2::bigint[], $3::text[], $4::int[], $5::halfvec[], $7::int[]) with ordinality
            u(row_id, layer, length, embedding, term_end, place)
    ) w
), stored as (
    insert into thoth.substrate_statements (tenant_id, row_id, layer, terms, counts, length, embedding, embedding_model)
    select $1, s.row_id, s.layer, s.terms, s.counts, s.length, s.embedding, case when s.embedding is not null then $6::text end
    from sentences s
    order by s.row_id
    on conflict (tenant_id, row_id) do update
    set terms = excluded.terms, counts = excluded.counts, length = excluded.length
)
insert into thoth.substrate_statement_postings (tenant_id, term, row_id, count, length)
select $1, t.term, s.row_id, t.count, s.length
from sentences s cross join lateral unnest(s.terms, s.counts) t(term, count)
order by t.term, s.row_id
on conflict (tenant_id, term, row_id) do update set count = excluded.count, length = excluded.length
