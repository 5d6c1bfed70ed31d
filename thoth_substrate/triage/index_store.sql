-- index_store(tenant text, slice_ids uuid[], passage_nos smallint[], stream_ids smallint[], session_nos int[], seqs int[], event_times timestamptz[], char_starts int[], char_ends int[], lengths int[], flags smallint[], trusts real[], actors text[], term_ends int[], terms text[], counts smallint[]) -> Stored
-- Passages with their postings, document frequencies and places in the embedder's queue. What is there already counts nothing.
with passages as (
    insert into thoth.substrate_passages (tenant_id, slice_id, passage_no, stream_id, session_no, seq, event_time,
        char_start, char_end, length, flags, trust, actor, terms, counts)
    select $1, p.slice_id, p.passage_no, p.stream_id, p.session_no, p.seq, p.event_time, p.char_start, p.char_end, p.length, p.flags,
        p.trust, p.actor, ($15::text[])[p.term_end - p.term_count + 1 : p.term_end], ($16::smallint[])[p.term_end - p.term_count + 1 : p.term_end]
    from (
        select u.*, u.term_end - coalesce(lag(u.term_end) over (order by u.place), 0) as term_count
        from unnest($2::uuid[], $3::smallint[], $4::smallint[], $5::int[], $6::int[], $7::timestamptz[], $8::int[], $9::int[], $10::int[],
            $11::smallint[], $12::real[], $13::text[], $14::int[]) with ordinality
            u(slice_id, passage_no, stream_id, session_no, seq, event_time, char_start, char_end, length, flags, trust, actor, term_end, place)
    ) p
    order by p.place
    on conflict (tenant_id, slice_id, passage_no) do nothing
    returning passage_id, length, terms, counts
), postings as (
    insert into thoth.substrate_postings (tenant_id, term, passage_id, count, length)
    select $1, t.term, p.passage_id, t.count, p.length
    from passages p cross join lateral unnest(p.terms, p.counts) t(term, count)
    order by t.term, p.passage_id
), frequencies as (
    -- in the order of the terms, so that two hosts cannot wait for each other
    insert into thoth.substrate_terms (tenant_id, term, passages)
    select $1, t.term, count(*)
    from passages p cross join lateral unnest(p.terms) t(term)
    group by t.term
    order by t.term
    on conflict (tenant_id, term) do update set passages = substrate_terms.passages + excluded.passages
), queued as (
    insert into thoth.substrate_unembedded (tenant_id, passage_id)
    select $1, passage_id from passages
    on conflict (tenant_id, passage_id) do nothing
)
select count(*) as passages, coalesce(sum(length), 0)::bigint as total_length from passages
