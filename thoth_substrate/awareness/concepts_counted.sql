-- concepts_counted(tenant text, concept_ids bigint[]) -> Counted
-- What goes with them by cascade, for the receipt.
select (select count(*) from thoth.substrate_keywords k where k.tenant_id = $1 and k.concept_id = any ($2::bigint[])) as keywords,
    (select count(*) from thoth.substrate_sources s where s.tenant_id = $1 and s.concept_id = any ($2::bigint[])) as sources
