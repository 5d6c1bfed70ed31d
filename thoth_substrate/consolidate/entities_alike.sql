-- entities_alike(tenant text, places int[], embeddings halfvec[], kinds text[], model text, floor real) -> AlikeEntity
-- The nearest entity of the same kind to each vector, compared one by one: asked only of names that nobody goes by.
select w.place, e.entity_id, e.norm, e.kind, e.name, e.likeness::real as likeness
from unnest($2::int[], $3::halfvec[], $4::text[]) w(place, embedding, kind)
cross join lateral (
    select e.entity_id, e.norm, e.kind, e.name, 1 - (e.embedding <=> w.embedding) as likeness
    from thoth.substrate_entities e
    where e.tenant_id = $1 and e.kind = w.kind and e.embedding_model = $5 and e.merged_into is null and e.retracted_at is null
    order by e.embedding <=> w.embedding
    limit 2
) e
where e.likeness >= $6::real
order by w.place, e.likeness desc
