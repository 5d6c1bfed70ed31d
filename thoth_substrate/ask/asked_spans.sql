-- asked_spans(tenant text, from_times timestamptz[], to_times timestamptz[], at timestamptz, limit_rows bigint) -> Told
-- What was said in spans of time, by the index of passages by time; where there is more than can be shown, what matters more.
select p.slice_id, min(p.event_time) as event_time
from unnest($2::timestamptz[], $3::timestamptz[]) span(starts, ends)
join thoth.substrate_passages p on p.tenant_id = $1 and p.event_time >= span.starts and p.event_time < span.ends
left join thoth.substrate_salience a on a.tenant_id = $1 and a.slice_id = p.slice_id
where thoth.substrate_id_time(p.slice_id) <= $4
group by p.slice_id
order by max(coalesce(a.importance, 0.5)) desc, min(p.event_time) desc, p.slice_id
limit $5
