-- association_living(tenant text, entity_ids bigint[]) -> Standing
-- For whom each stands now; those that are gone, or stand for nobody that lives, do not come back.
select e.entity_id, r.entity_id as stands_for
from thoth.substrate_entities e
join thoth.substrate_entities r
    on r.tenant_id = $1 and r.entity_id = coalesce(e.merged_into, e.entity_id)
    and r.merged_into is null and r.retracted_at is null
where e.tenant_id = $1 and e.entity_id = any($2::bigint[])
