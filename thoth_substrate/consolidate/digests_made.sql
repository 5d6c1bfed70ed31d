-- digests_made(tenant text, slice_ids uuid[], importances real[], topics text[], summaries text[], model text, decision_id uuid) -> -
-- What a slice is about as a whole; a later attempt knows better. Topics come as JSON, since arrays of arrays must be of one length.
insert into thoth.substrate_digests (tenant_id, slice_id, importance, topics, summary, model, decision_id)
select $1, w.slice_id, w.importance, array(select jsonb_array_elements_text(w.topics::jsonb)), w.summary, $6, $7
from unnest($2::uuid[], $3::real[], $4::text[], $5::text[]) w(slice_id, importance, topics, summary)
order by w.slice_id
on conflict (tenant_id, slice_id) do update
set importance = excluded.importance, topics = excluded.topics, summary = excluded.summary, model = excluded.model,
    digested_at = thoth.substrate_now(), decision_id = excluded.decision_id
