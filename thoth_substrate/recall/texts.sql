-- texts(tenant text, passage_ids bigint[]) -> Text
-- The words of the best passages, from their slices' months; what was forgotten or released meanwhile is simply not there.
select p.passage_id, s.session_id, c.stream, substr(s.text, p.char_start + 1, p.char_end - p.char_start) as text
from thoth.substrate_passages p
join thoth.substrate_streams c using (stream_id)
join thoth.substrate_slices s on s.tenant_id = p.tenant_id and s.slice_id = p.slice_id
    and s.ingest_time = thoth.substrate_id_time(p.slice_id)
where p.tenant_id = $1 and p.passage_id = any($2::bigint[]) and s.triage_state = 'passed' and not s.forgotten
