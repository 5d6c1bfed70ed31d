-- cited_places(tenant text, slice_ids uuid[]) -> Place
-- Where slices are quoted, and whether what quotes them is held still; what was superseded or corrected has been dealt with.
select c.slice_id, c.quote_start as start, length(c.quote) as length,
    e.entity_id is not null and e.retracted_at is null or r.relationship_id is not null and r.retracted_at is null as living,
    r.superseded_by is not null as superseded
from thoth.substrate_citations c
left join thoth.substrate_entities e on e.tenant_id = $1 and e.entity_id = c.row_id
left join thoth.substrate_relationships r on r.tenant_id = $1 and r.relationship_id = c.row_id
where c.tenant_id = $1 and c.slice_id = any($2::uuid[])
