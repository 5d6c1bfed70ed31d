-- vectors_packed(tenant text, model text, passage_ids bigint[]) -> Packed
-- Vectors as they are sent, one after another: ten thousand rows would cost more to read than to compare.
select coalesce(array_agg(key order by key), '{}') as keys, coalesce(string_agg(halfvec_send(embedding), '' order by key), '') as packed
from (
    select passage_id * 2 + (kind = 'window')::int as key, embedding
    from thoth.substrate_passage_vectors where tenant_id = $1 and model = $2 and passage_id = any ($3)
) v
