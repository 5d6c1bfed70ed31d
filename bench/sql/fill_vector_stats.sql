-- The tenant's mean vector, as a sum.
with turns as (
    select count(*) as vectors, count(*) filter (where kind = 'turn') as turns, avg(embedding::vector(384)) filter (where kind = 'turn') as mean
    from thoth.substrate_passage_vectors where tenant_id = %(tenant)s and model = %(model)s
)
insert into thoth.substrate_vector_stats (tenant_id, model, vectors, turns, sum)
select %(tenant)s, %(model)s, vectors, turns, (select array_agg(x * turns order by place) from unnest(mean::real[]) with ordinality u(x, place))
from turns
