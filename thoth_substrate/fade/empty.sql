-- empty(tenant text, slice_ids uuid[], tombstones text[]) -> -
-- Thin leaves ids, times, stream and hash; none leaves the key alone, because rows of slices go only with their month.
update thoth.substrate_slices s
set consolidation_state = 'released', released_at = thoth.substrate_now(), text = '', payload = null, metadata = '{}', actor = '',
    triage_reason = null,
    session_id = case when w.tombstone = 'none' then '' else s.session_id end,
    external_id = case when w.tombstone = 'none' then null else s.external_id end,
    event_time = case when w.tombstone = 'none' then s.ingest_time else s.event_time end,
    event_offset_s = case when w.tombstone = 'none' then null else s.event_offset_s end,
    content_hash = case when w.tombstone = 'none' then '' else s.content_hash end
from unnest($2::uuid[], $3::text[]) w(slice_id, tombstone)
where s.tenant_id = $1 and s.slice_id = w.slice_id and s.ingest_time = thoth.substrate_id_time(w.slice_id)
