-- holdings(tenant text) -> Holdings
-- Queues, pins and sizes from the narrow tables alone: cheap enough to watch while something settles.
select (select count(*) from thoth.substrate_pending p where p.tenant_id = $1) as pending,
       (select count(*) from thoth.substrate_unindexed i where i.tenant_id = $1) as unindexed,
       (select count(*) from thoth.substrate_unembedded e where e.tenant_id = $1) as unembedded,
       (select count(*) from thoth.substrate_unconsolidated u where u.tenant_id = $1) as unconsolidated,
       (select count(*) from thoth.substrate_salience a where a.tenant_id = $1 and a.pinned) as pinned,
       (select count(*) from thoth.substrate_sessions n where n.tenant_id = $1) as sessions,
       coalesce((select x.passages from thoth.substrate_text_stats x where x.tenant_id = $1), 0) as passages,
       coalesce((select sum(v.vectors) from thoth.substrate_vector_stats v where v.tenant_id = $1), 0)::bigint as vectors,
       (select t.first_seen from thoth.substrate_tenants t where t.tenant_id = $1) as first_seen
