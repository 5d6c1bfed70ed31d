-- measure_state(tenant text, wait interval) -> KnowledgeState
-- What a measurement depends on, as counts and last changes: while they are the same, so is it.
select
    (select count(*) from thoth.substrate_relationships where tenant_id = $1 and retracted_at is null) as facts,
    (select count(*) from thoth.substrate_relationships where tenant_id = $1 and retracted_at is not null) as retracted,
    (select count(*) from thoth.substrate_citations where tenant_id = $1) as citations,
    (select count(*) from thoth.substrate_patterns where tenant_id = $1 and retracted_at is null) as patterns,
    (select count(*) from thoth.substrate_verdicts where tenant_id = $1) as verdicts,
    (select count(*) from thoth.substrate_verdicts where tenant_id = $1 and outcome = 'failed') as failed,
    (select count(*) from thoth.substrate_dead_letters where tenant_id = $1) as dead_letters,
    (select count(*) from thoth.substrate_unassociated
        where tenant_id = $1 and queued_at <= (select thoth.substrate_now()) - $2::interval) as overdue,
    (select coalesce(sum(weight), 0)::double precision from thoth.substrate_associations where tenant_id = $1) as associated
