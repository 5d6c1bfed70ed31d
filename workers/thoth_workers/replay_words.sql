-- replay_words(tenant text, slice_ids uuid[]) -> Words
-- The words that a decision was made from, hashed anew: what is stored beside them may be as stale as what was recorded.
select s.slice_id, encode(sha256(convert_to(s.text, 'UTF8')), 'hex') as content_hash, s.text,
    s.consolidation_state <> 'released' and s.text <> '' or s.content_hash = sha256('') as held
from unnest($2::uuid[]) w(slice_id)
join thoth.substrate_slices s
    on s.tenant_id = $1 and s.slice_id = w.slice_id and s.ingest_time = thoth.substrate_id_time(w.slice_id)
