-- summaries_alone(tenant text, slice_ids uuid[], stream text) -> Retirable
-- Summaries that rest on these slices and on nothing else that can still be found.
select x.slice_id
from (
    select distinct s.session_id
    from unnest($2::uuid[]) w(slice_id)
    join thoth.substrate_slices s
        on s.tenant_id = $1 and s.slice_id = w.slice_id and s.ingest_time = thoth.substrate_id_time(w.slice_id)
    where s.session_id <> ''
) of_them
join thoth.substrate_slices x on x.tenant_id = $1 and x.session_id = of_them.session_id
join thoth.substrate_streams st on st.stream_id = x.stream_id and st.stream = $3
where not x.forgotten and x.text <> '' and x.metadata -> 'summary_of' ?| array(select u::text from unnest($2::uuid[]) u)
    and not exists (
        select from jsonb_array_elements_text(x.metadata -> 'summary_of') o(id)
        join thoth.substrate_slices y
            on y.tenant_id = $1 and y.slice_id = o.id::uuid and y.ingest_time = thoth.substrate_id_time(o.id::uuid)
        where not y.forgotten and y.slice_id <> all ($2::uuid[])
    )
order by x.slice_id
