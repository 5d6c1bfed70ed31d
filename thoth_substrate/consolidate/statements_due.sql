-- statements_due(tenant text, row_ids bigint[]) -> Sentence
-- Living facts with the names of what they are about, by which they are found as well.
select r.relationship_id as row_id, r.statement,
    array(select distinct a.norm from (
              select s.root as member
              union all
              select m.entity_id from thoth.substrate_entities m where m.tenant_id = $1 and m.merged_into = s.root
          ) g
          join thoth.substrate_entity_aliases a on a.tenant_id = $1 and a.entity_id = g.member
          order by a.norm limit 12) as subject_names,
    case when r.object_id is null then array[r.object_norm]
        else array(select distinct a.norm from (
              select o.root as member
              union all
              select m.entity_id from thoth.substrate_entities m where m.tenant_id = $1 and m.merged_into = o.root
          ) g
          join thoth.substrate_entity_aliases a on a.tenant_id = $1 and a.entity_id = g.member
          order by a.norm limit 12) end as object_names
from thoth.substrate_relationships r
cross join lateral (
    select coalesce(e.merged_into, e.entity_id) as root from thoth.substrate_entities e
    where e.tenant_id = $1 and e.entity_id = r.subject_id
) s
left join lateral (
    select coalesce(e.merged_into, e.entity_id) as root from thoth.substrate_entities e
    where e.tenant_id = $1 and e.entity_id = r.object_id
) o on true
where r.tenant_id = $1 and r.relationship_id = any($2::bigint[]) and r.retracted_at is null
order by r.relationship_id
