-- tenant_state(tenant text) -> TenantState
-- What ranking must know before it asks: how much the tenant has, over which years, by which model, and its calibrated floor. A tenant without knowledge pays one probe.
select coalesce(s.passages, 0) as passages, coalesce(s.total_length, 0) as total_length,
    m.model, m.centre, coalesce(v.vectors, 0) as vectors, coalesce(v.turns, 0) as turns, v.sum as vector_sum, f.floor,
    (select min(event_time) from thoth.substrate_passages where tenant_id = $1) as earliest,
    (select max(event_time) from thoth.substrate_passages where tenant_id = $1) as latest,
    (select coalesce(array_agg(stream_id), '{}') from thoth.substrate_streams where family = 'exteroceptive') as worldly,
    k.knows, case when k.knows then (
        select score::float8 from thoth.substrate_observations
        where tenant_id = $1 and kind = 'coherence' and retracted_at is null order by observed_at desc, observation_id desc limit 1
    ) end as coherence, d.oid || '/' || v.xmin as vectors_version
from (values ($1::text)) t(tenant_id)
left join thoth.substrate_embedding_models m on m.active
join pg_database d on d.datname = current_database()
left join thoth.substrate_text_stats s on s.tenant_id = t.tenant_id
left join thoth.substrate_vector_stats v on v.tenant_id = t.tenant_id and v.model = m.model
left join thoth.substrate_floors f on f.tenant_id = t.tenant_id and f.model = coalesce(m.model, '')
cross join (
    -- The least number is found by the key; whether there is any would be looked for from end to end where others have many.
    select (select min(row_id) from thoth.substrate_statements where tenant_id = $1) is not null as knows offset 0
) k
