-- coherence_note(tenant text, score float8, detail jsonb, agent text, decision_id uuid) -> Noted
-- A measurement is kept, with its parts and on how much they rest.
insert into thoth.substrate_observations (tenant_id, kind, score, detail, agent, decision_id)
values ($1, 'coherence', $2::double precision, $3::jsonb, $4, $5)
returning observation_id
