-- keywords_noted(tenant text, concept_id bigint, keywords text[], terms text[], last_times timestamptz[]) -> -
-- United with those that the concept has: of these the time moves on.
insert into thoth.substrate_keywords (tenant_id, concept_id, keyword, term, last_at)
select $1, $2, w.keyword, w.term, w.last_at from unnest($3::text[], $4::text[], $5::timestamptz[]) w(keyword, term, last_at)
on conflict (tenant_id, concept_id, keyword, term) do update set last_at = greatest(substrate_keywords.last_at, excluded.last_at)
