-- asked_recent(tenant text, stream text, since timestamptz, until timestamptz, person text, entity_ids bigint[], topic text, origin text, importance float8, at timestamptz, limit_chars integer, limit_rows bigint) -> Memory
-- Newest first down the primary key, month by month, until there are enough of those that the filters let through.
select s.slice_id, t.stream, s.session_id as session, s.actor, s.event_time, s.trust::float8 as trust,
       coalesce(a.importance, 0.5)::float8 as importance, left(s.text, $11) as text, coalesce(d.summary, '') as summary
from thoth.substrate_slices s
join thoth.substrate_streams t using (stream_id)
left join thoth.substrate_salience a on a.tenant_id = s.tenant_id and a.slice_id = s.slice_id
left join thoth.substrate_digests d on d.tenant_id = s.tenant_id and d.slice_id = s.slice_id
where s.tenant_id = $1
  and s.triage_state = 'passed' and not s.forgotten and s.text <> ''
  and (t.family = 'exteroceptive' or t.modality = 'text')
  and ($2::text is null or t.stream = $2)
  and s.event_time >= $3 and s.event_time < $4
  and ($5::text is null or s.actor ~* $5 or s.text ~* $5 or exists (
      select from thoth.substrate_citations c where c.tenant_id = $1 and c.slice_id = s.slice_id and c.row_id = any ($6) and c.withdrawn_at is null))
  and ($7::text is null or s.text ~* $7 or exists (select from unnest(d.topics) topic where topic ~* $7))
  and ($8::text is null or t.source = $8 or s.metadata ->> 'source' = $8 or starts_with(s.metadata ->> 'path', $8)
      or exists (select from thoth.substrate_external_ids e where e.tenant_id = $1 and e.source = $8 and e.external_id = s.external_id))
  and coalesce(a.importance, 0.5) + 1e-6::float8 >= $9::float8  -- a real of .9 is a little less
  and s.ingest_time <= $10
order by s.slice_id desc
limit $12
