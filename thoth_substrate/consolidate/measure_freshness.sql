-- measure_freshness(tenant text, wait interval) -> Tally
-- Whether what is derived follows the facts as they stand: entities whose associations are overdue, patterns of which a support fell. What has just come in is not stale, however old its news.
with derived as (
    select not exists (
        select from thoth.substrate_unassociated q
        where q.tenant_id = $1 and q.entity_id = e.entity_id and q.queued_at <= (select thoth.substrate_now()) - $2::interval
    ) as good
    from thoth.substrate_entities e
    where e.tenant_id = $1 and e.merged_into is null and e.retracted_at is null
    union all
    select not exists (
        select from thoth.substrate_supports s
        join thoth.substrate_relationships f on f.tenant_id = $1 and f.relationship_id = s.support_id
        where s.tenant_id = $1 and s.row_id = p.pattern_id and f.retracted_at is not null
    )
    from thoth.substrate_patterns p
    where p.tenant_id = $1 and p.retracted_at is null
)
select (count(*) filter (where good))::double precision as good, count(*) as observations from derived
