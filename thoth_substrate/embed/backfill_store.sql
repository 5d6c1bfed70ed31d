-- backfill_store(tenant text, model text, passage_ids bigint[], kinds text[], embeddings halfvec[], codes text[]) -> StoredVector
-- Insert-only. A passage that was released meanwhile is locked out: its vector must not come after it has gone.
with there as materialized (
    select p.passage_id from thoth.substrate_passages p
    where p.tenant_id = $1 and p.passage_id = any($3::bigint[])
    order by p.passage_id
    for key share
)
insert into thoth.substrate_passage_vectors (tenant_id, passage_id, kind, model, embedding, code)
select $1, v.passage_id, v.kind, $2, v.embedding, v.code::bit(1536)
from unnest($3::bigint[], $4::text[], $5::halfvec[], $6::text[]) v(passage_id, kind, embedding, code)
join there using (passage_id)
on conflict (tenant_id, model, passage_id, kind) do nothing
returning passage_id, kind
