-- Vectors near real ones: a mixture of two real sentences' and a little noise, so that they spread as real ones do.
with mixed as (
    select p.passage_id, k.kind,
        l2_normalize(a.embedding * w.own + b.embedding * w.other + (select embedding from noise where n = (s.n * 7 + k.place) %% 997)) as embedding
    from staged s
    join thoth.substrate_passages p on p.tenant_id = %(tenant)s and p.slice_id = s.slice_id
    cross join (values ('turn', 0), ('window', 1)) k(kind, place)
    join base a on a.n = s.base
    join base b on b.n = case k.place when 0 then s.other else (s.other + 1) %% %(bases)s end
    cross join (select array_fill(0.62::real, array[384])::vector(384)::halfvec(384) as own, array_fill(0.38::real, array[384])::vector(384)::halfvec(384) as other) w
    where k.place = 0 or s.has_window
)
insert into thoth.substrate_passage_vectors (tenant_id, passage_id, kind, model, embedding, code)
select %(tenant)s, passage_id, kind, %(model)s, embedding,
    rpad(binary_quantize(embedding - (select centre::vector(384)::halfvec(384) from thoth.substrate_embedding_models where model = %(model)s))::text, 1536, '0')::bit(1536)
from mixed order by passage_id, kind
