-- shown_lines(tenant text, recall_id uuid) -> ShownLine
-- What was shown, read anew: a slice released or forgotten since has no text to show any more, and is said to be gone.
select h.line ->> 'handle' as handle, (h.line ->> 'slice_id')::uuid as slice_id, (h.line ->> 'passage_no')::integer as passage_no,
       t.stream, s.session_id as session, s.actor, s.event_time,
       s.slice_id is null or s.consolidation_state = 'released' or s.forgotten as gone,
       coalesce(substr(s.text, p.char_start + 1, p.char_end - p.char_start), left(s.text, 1200), '') as text
from thoth.substrate_recall_log l
cross join lateral jsonb_array_elements(l.shown) with ordinality h(line, place)
left join thoth.substrate_slices s on s.tenant_id = l.tenant_id and s.slice_id = (h.line ->> 'slice_id')::uuid
                                  and s.ingest_time = thoth.substrate_id_time((h.line ->> 'slice_id')::uuid)
left join thoth.substrate_streams t using (stream_id)
left join thoth.substrate_passages p on p.tenant_id = l.tenant_id and p.slice_id = s.slice_id
                                    and p.passage_no = (h.line ->> 'passage_no')::integer
where l.tenant_id = $1
  and l.recall_id = $2
order by h.place
