-- measure_coverage(tenant text) -> Tally
-- Passages with a verdict that is not a failure; what was given up counts as failed.
select coalesce(sum(count) filter (where outcome <> 'failed'), 0)::double precision as good,
    coalesce(sum(count), 0)::bigint as observations
from (
    select outcome, count(*) from thoth.substrate_verdicts where tenant_id = $1 group by outcome
    union all
    select 'failed', count(*) from thoth.substrate_dead_letters where tenant_id = $1
) v
