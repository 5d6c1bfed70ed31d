-- beings_changed(tenant text, entity_ids bigint[], names text[], norms text[], summaries text[], first_times timestamptz[], last_times timestamptz[]) -> -
-- An entity as what is left tells of it. Its vector was made of its name and summary.
update thoth.substrate_entities e
set embedding = case when e.name = w.name and e.summary = w.summary then e.embedding end,
    embedding_model = case when e.name = w.name and e.summary = w.summary then e.embedding_model end,
    name = w.name, norm = w.norm, summary = w.summary,
    first_seen = coalesce(w.first_seen, e.first_seen), last_seen = coalesce(w.last_seen, e.last_seen)
from unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::timestamptz[])
    w(entity_id, name, norm, summary, first_seen, last_seen)
where e.tenant_id = $1 and e.entity_id = w.entity_id
