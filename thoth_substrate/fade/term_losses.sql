-- term_losses(tenant text, terms text[]) -> -
-- One less for each time a term is named. Terms are locked in their order, as the indexer does; each count is taken from the newest version of its row, since others may have changed it while this waited.
with losses as materialized (
    select term, count(*)::integer as passages from unnest($2::text[]) u(term) group by term
), held as materialized (
    select t.term from thoth.substrate_terms t
    where t.tenant_id = $1 and t.term = any (array(select term from losses))
    order by t.term
    for update
)
update thoth.substrate_terms t set passages = t.passages - l.passages
from held h join losses l using (term)
where t.tenant_id = $1 and t.term = h.term
