-- memories(tenant text, slice_ids uuid[], states text[], streams text[], since timestamptz, until timestamptz, actor text, topic text, importance float8, metadata jsonb, source text, row_ids bigint[], limit_rows bigint) -> Row
-- Those of the given slices that fit, in the order given, with what was made of them. Point look-ups: ids carry their month.
with fits as materialized (
    select g.place, s.slice_id, t.stream, s.session_id, s.actor, s.event_time, s.ingest_time, st.state, s.triage_reason,
           s.released_at, s.external_id, s.text, s.payload, s.metadata,
           a.importance::float8 as importance, coalesce(a.pinned, false) as pinned, d.topics, d.summary,
           v.version, v.replaces, v.first_id, n.slice_id as replaced_by
    from unnest($2::uuid[]) with ordinality g (slice_id, place)
    join thoth.substrate_slices s on s.tenant_id = $1 and s.slice_id = g.slice_id and s.ingest_time = thoth.substrate_id_time(g.slice_id)
    join thoth.substrate_streams t using (stream_id)
    left join thoth.substrate_salience a on a.tenant_id = $1 and a.slice_id = g.slice_id
    left join thoth.substrate_digests d on d.tenant_id = $1 and d.slice_id = g.slice_id
    left join thoth.substrate_memory_versions v on v.tenant_id = $1 and v.slice_id = g.slice_id
    left join thoth.substrate_memory_versions n on n.tenant_id = $1 and n.replaces = g.slice_id
    cross join lateral (
        select case when s.consolidation_state = 'exempt' then 'diary' when n.slice_id is not null then 'replaced'
                    when s.released_at is not null then 'released' when s.forgotten and s.metadata ? 'retired' then 'retired'
                    when s.forgotten then 'forgotten' else s.triage_state end as state
    ) st
    where ($3::text[] is null or st.state = any ($3::text[]))
      and ($4::text[] is null or t.stream = any ($4::text[]))
      and ($5::timestamptz is null or s.event_time >= $5)
      and ($6::timestamptz is null or s.event_time < $6)
      and ($7::text is null or s.actor = $7)
      and ($8::text is null or exists (select from unnest(d.topics) topic where lower(topic) = lower($8)))
      and ($9::float8 is null or coalesce(a.importance, 0)::float8 + 1e-6::float8 >= $9)  -- a real of .9 is a little less
      and ($10::jsonb is null or s.metadata @> $10::jsonb)
      and ($11::text is null or starts_with(coalesce(s.external_id, ''), $11) or starts_with(coalesce(s.metadata ->> 'path', ''), $11)
           or starts_with(coalesce(s.metadata ->> 'source', ''), $11))
      and ($12::bigint[] is null or exists (
          select from thoth.substrate_citations c where c.tenant_id = $1 and c.slice_id = g.slice_id and c.row_id = any ($12::bigint[])))
    order by g.place
    limit $13
)
select f.slice_id, f.stream, f.session_id as session, f.actor, f.event_time, f.ingest_time, f.state, f.triage_reason as reason,
       f.released_at, f.external_id, f.text, f.payload, f.metadata, f.importance, f.pinned,
       coalesce(f.topics, '{}') as topics, coalesce(f.summary, '') as summary, f.topics is not null as digested,
       coalesce(f.version, 1) as version, f.replaces, f.first_id, f.replaced_by,
       coalesce((
           select array_agg(q.step order by q.step) from (
               select 'triage' as step from thoth.substrate_pending p where p.tenant_id = $1 and p.slice_id = f.slice_id
               union all
               select 'index' from thoth.substrate_unindexed p where p.tenant_id = $1 and p.slice_id = f.slice_id
               union all
               select distinct 'embed' from thoth.substrate_passages x
               join thoth.substrate_unembedded p on p.tenant_id = $1 and p.passage_id = x.passage_id
               where x.tenant_id = $1 and x.slice_id = f.slice_id
               union all
               select 'consolidate' from thoth.substrate_unconsolidated p where p.tenant_id = $1 and p.slice_id = f.slice_id
           ) q), '{}') as waits_for,
       coalesce((
           select jsonb_agg(jsonb_build_object('entity_id', e.entity_id, 'name', e.name, 'kind', e.kind) order by e.entity_id)
           from (
               select distinct coalesce(x.merged_into, x.entity_id) as entity_id
               from thoth.substrate_citations c
               join thoth.substrate_entities x on x.tenant_id = $1 and x.entity_id = c.row_id
               where c.tenant_id = $1 and c.slice_id = f.slice_id
           ) k
           join thoth.substrate_entities e on e.tenant_id = $1 and e.entity_id = k.entity_id
           where e.retracted_at is null), '[]') as entities,
       coalesce((
           select jsonb_agg(jsonb_build_object('row_id', r.relationship_id, 'statement', r.statement, 'confidence', r.confidence)
                            order by r.relationship_id)
           from (
               select distinct c.row_id from thoth.substrate_citations c where c.tenant_id = $1 and c.slice_id = f.slice_id
           ) k
           join thoth.substrate_relationships r on r.tenant_id = $1 and r.relationship_id = k.row_id
           where r.retracted_at is null), '[]') as facts
from fits f
order by f.place
