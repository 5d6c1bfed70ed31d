-- corroborations_noted(tenant text, row_ids bigint[], sessions text[]) -> -
-- Said again by a person counts only where another session said it first: one conversation repeats itself. Once is enough.
insert into thoth.substrate_outcomes (tenant_id, row_id, outcome, by_id)
select distinct $1, w.row_id, 'corroborated', w.row_id
from unnest($2::bigint[], $3::text[]) w(row_id, session)
where exists (
    select from thoth.substrate_citations c
    where c.tenant_id = $1 and c.row_id = w.row_id and c.session_id <> w.session
)
on conflict (tenant_id, row_id, outcome, by_id) do nothing
