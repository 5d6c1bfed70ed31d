-- measure_supports(tenant text) -> Tally
-- Rows that rest on something and whether it is there: living facts on a citation, living patterns and self-statements on living rows.
with facts as (
    select exists (
        select from thoth.substrate_citations c where c.tenant_id = $1 and c.row_id = f.relationship_id
    ) as good
    from thoth.substrate_relationships f
    where f.tenant_id = $1 and f.retracted_at is null
), supported as (
    select pattern_id as row_id from thoth.substrate_patterns where tenant_id = $1 and retracted_at is null
), supports as (
    select exists (
            select from thoth.substrate_relationships f
            where f.tenant_id = $1 and f.relationship_id = s.support_id and f.retracted_at is null
        ) or exists (
            select from thoth.substrate_patterns p
            where p.tenant_id = $1 and p.pattern_id = s.support_id and p.retracted_at is null
        ) as good
    from supported r
    join thoth.substrate_supports s on s.tenant_id = $1 and s.row_id = r.row_id
)
select (count(*) filter (where good))::double precision as good, count(*) as observations
from (select good from facts union all select good from supports) t
