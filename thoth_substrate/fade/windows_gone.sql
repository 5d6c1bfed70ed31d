-- windows_gone(tenant text, passage_ids bigint[]) -> Gone
-- Vectors of windows alone; the tenant's sum is of turns and stays as it is.
with gone as (
    delete from thoth.substrate_passage_vectors v
    using thoth.substrate_embedding_models m, unnest($2::bigint[]) w(passage_id)
    where v.tenant_id = $1 and v.model = m.model and v.passage_id = w.passage_id and v.kind = 'window'
    returning v.model
), lessened as (
    update thoth.substrate_vector_stats s set vectors = greatest(s.vectors - l.vectors, 0)
    from (select model, count(*) as vectors from gone group by model) l
    where s.tenant_id = $1 and s.model = l.model
)
select count(*) as n from gone
