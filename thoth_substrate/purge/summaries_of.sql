-- summaries_of(tenant text, slice_ids uuid[], stream text) -> SliceId
-- Summaries that rest on these slices, and the later ones of the same session: the Summarizer goes on after the last one that is left.
with sessions as materialized (
    select distinct s.session_id
    from unnest($2::uuid[]) w(slice_id)
    join thoth.substrate_slices s
        on s.tenant_id = $1 and s.slice_id = w.slice_id and s.ingest_time = thoth.substrate_id_time(w.slice_id)
    where s.session_id <> ''
), summaries as materialized (
    select x.session_id, x.slice_id, x.metadata -> 'summary_of' ?| array(select u::text from unnest($2::uuid[]) u) as rests
    from sessions join thoth.substrate_slices x using (session_id)
    join thoth.substrate_streams st on st.stream_id = x.stream_id and st.stream = $3
    where x.tenant_id = $1 and x.text <> ''
)
select slice_id from summaries s
where exists (select from summaries t where t.session_id = s.session_id and t.rests and t.slice_id <= s.slice_id)
    and s.slice_id <> all ($2::uuid[])
order by slice_id
