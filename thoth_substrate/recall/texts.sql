-- texts(tenant text, passage_ids bigint[]) -> Text
-- The words of the best passages, from their slices' months; what was forgotten or released meanwhile is simply not there.
select p.passage_id, s.session_id, c.stream, c.family = 'self_state' and c.modality <> 'text' as reported, substr(s.text, p.char_start + 1, p.char_end - p.char_start) as text
from thoth.substrate_passages p
cross join lateral (
    -- The limit keeps it a look-up of one month a passage: joined otherwise, every month would be read.
    select session_id, text from thoth.substrate_slices
    where tenant_id = $1 and slice_id = p.slice_id and ingest_time = thoth.substrate_id_time(p.slice_id)
      and triage_state = 'passed' and not forgotten
    limit 1
) s
join thoth.substrate_streams c on c.stream_id = p.stream_id
where p.tenant_id = $1 and p.passage_id = any($2::bigint[])
