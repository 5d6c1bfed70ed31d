-- supports_dated(tenant text, row_ids bigint[]) -> Dated
-- Which of these facts and patterns still live, and when what they rest on took place.
select f.relationship_id as row_id, coalesce(min(c.event_time), f.valid_from) as first, coalesce(max(c.event_time), f.valid_from) as last
from thoth.substrate_relationships f
left join thoth.substrate_citations c on c.tenant_id = $1 and c.row_id = f.relationship_id
where f.tenant_id = $1 and f.relationship_id = any($2::bigint[]) and f.retracted_at is null
group by f.relationship_id, f.valid_from
union all
select p.pattern_id, p.valid_from, p.valid_to
from thoth.substrate_patterns p
where p.tenant_id = $1 and p.pattern_id = any($2::bigint[]) and p.retracted_at is null
