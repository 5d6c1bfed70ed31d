-- vectors_made(tenant text, store text, model text, fields jsonb, embeddings halfvec[]) -> -
-- Their fields' vectors, one each, in the same order.
insert into thoth.substrate_item_vectors (tenant_id, store, path, key, field, model, embedding)
select $1, $2, f.field ->> 'path', f.field ->> 'key', f.field ->> 'field', $3, e.embedding
from jsonb_array_elements($4::jsonb) with ordinality f(field, at)
join unnest($5::halfvec[]) with ordinality e(embedding, at) using (at)
on conflict (tenant_id, store, path, key, field) do update set model = excluded.model, embedding = excluded.embedding
