-- backfill_due(limit_rows int) -> DuePassage
-- The newest passages and the oldest, half of each: what was just said gets its vector soon, and an import is never starved.
with newest as (
    select tenant_id, passage_id, attempts from thoth.substrate_unembedded
    where not_before = '-infinity' order by queued_at desc limit greatest($1 / 2, 1)
), oldest as (
    select tenant_id, passage_id, attempts from thoth.substrate_unembedded
    where not_before <= thoth.substrate_now() order by not_before, queued_at limit $1
)
select tenant_id, passage_id, attempts::int as attempts
from (
    select *, 1 as half from newest
    union all
    select * , 2 from oldest where (tenant_id, passage_id) not in (select tenant_id, passage_id from newest)
) due
order by half limit $1
