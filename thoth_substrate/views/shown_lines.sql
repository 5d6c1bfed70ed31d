-- shown_lines(tenant text, recall_id uuid) -> ShownLine
-- What was shown, read anew: a slice released or forgotten since has no text to show any more, and is said to be gone; so is a fact that was purged.
select h.line ->> 'handle' as handle, (h.line ->> 'slice_id')::uuid as slice_id, (h.line ->> 'passage_no')::integer as passage_no,
       (h.line ->> 'row_id')::bigint as row_id, coalesce(h.line ->> 'kind', 'quote') as kind,
       t.stream, s.session_id as session, s.actor, coalesce(s.event_time, k.valid_from) as event_time,
       case when h.line ? 'row_id' then k.statement is null
            else s.slice_id is null or s.consolidation_state = 'released' or s.forgotten end as gone,
       coalesce(k.statement, substr(s.text, p.char_start + 1, p.char_end - p.char_start), left(s.text, 1200), '') as text
from thoth.substrate_recall_log l
cross join lateral jsonb_array_elements(l.shown) with ordinality h(line, place)
left join thoth.substrate_slices s on s.tenant_id = l.tenant_id and s.slice_id = (h.line ->> 'slice_id')::uuid
                                  and s.ingest_time = thoth.substrate_id_time((h.line ->> 'slice_id')::uuid)
left join thoth.substrate_streams t using (stream_id)
left join thoth.substrate_passages p on p.tenant_id = l.tenant_id and p.slice_id = s.slice_id
                                    and p.passage_no = (h.line ->> 'passage_no')::integer
left join lateral (
    select r.statement, r.valid_from from thoth.substrate_relationships r
    where r.tenant_id = $1 and r.relationship_id = (h.line ->> 'row_id')::bigint
    union all
    select r.statement, r.valid_from from thoth.substrate_patterns r
    where r.tenant_id = $1 and r.pattern_id = (h.line ->> 'row_id')::bigint
    union all
    select r.statement, r.observed_at from thoth.substrate_observations r
    where r.tenant_id = $1 and r.observation_id = (h.line ->> 'row_id')::bigint
) k on true
where l.tenant_id = $1
  and l.recall_id = $2
order by h.place
