-- lone_corroborations(tenant text, row_ids bigint[]) -> -
-- A fact that another session had confirmed, and no longer has.
delete from thoth.substrate_outcomes o
where o.tenant_id = $1 and o.row_id = any ($2::bigint[]) and o.by_id = o.row_id and o.outcome = 'corroborated'
    and (select count(distinct c.session_id) from thoth.substrate_citations c where c.tenant_id = $1 and c.row_id = o.row_id) < 2
