-- progress() -> Progress
-- From kept numbers; only the queue is counted, which is empty when all is well.
with active as (
    select model from thoth.substrate_embedding_models where active
), waits as (
    select count(*) filter (where not_before < 'infinity') as waiting, count(*) filter (where not_before = 'infinity') as given_up
    from thoth.substrate_unembedded
)
select (select model from active) as model,
    coalesce((select sum(passages) from thoth.substrate_text_stats), 0)::bigint as passages,
    coalesce((select sum(turns) from thoth.substrate_vector_stats where model = (select model from active)), 0)::bigint as embedded,
    waits.waiting as waiting, waits.given_up as given_up,
    coalesce((select sum(vectors) from thoth.substrate_vector_stats where model <> (select model from active)), 0)::bigint as old_vectors
from waits
