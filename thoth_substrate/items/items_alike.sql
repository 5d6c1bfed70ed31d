-- items_alike(tenant text, store text, low text, high text, conditions jsonb, omit_expired boolean, model text, question halfvec, distance text, limit_vectors bigint, limit_rows bigint, skip_rows bigint) -> ItemRow
-- The nearest vectors of a branch, compared one by one, and of each item the best: an index cannot be filtered by branch and value.
with asked as materialized (
    select c ->> 'field' as field, c ->> 'operator' as operator, c -> 'value' as value, c ->> 'text' as text
    from jsonb_array_elements($5::jsonb) c(c)
), scored as materialized (
    select i.path, i.key,
        case $9
            when 'l2' then v.embedding <-> $8::halfvec
            when 'inner_product' then v.embedding <#> $8::halfvec
            else v.embedding <=> $8::halfvec
        end as distance
    from thoth.substrate_items i
    join thoth.substrate_item_vectors v
        on v.tenant_id = i.tenant_id and v.store = i.store and v.path = i.path and v.key = i.key and v.model = $7
    where i.tenant_id = $1 and i.store = $2 and i.path >= $3 and i.path < $4
      and not exists (
      select from asked a
      where not coalesce(
          case a.operator
              when '$eq' then i.value -> a.field = a.value
              when '$ne' then i.value -> a.field <> a.value
              when '$gt' then i.value ->> a.field > a.text
              when '$gte' then i.value ->> a.field >= a.text
              when '$lt' then i.value ->> a.field < a.text
              when '$lte' then i.value ->> a.field <= a.text
          end, false)
  )
      and (not $6 or i.expires_at is null or i.expires_at > thoth.substrate_now())
    order by distance
    limit $10
), best as (
    select path, key, min(distance) as distance from scored group by path, key
)
select i.namespace, i.key, i.value::text, i.created_at, i.updated_at,
    case $9 when 'l2' then -b.distance when 'inner_product' then -b.distance else 1 - b.distance end as score
from best b
join thoth.substrate_items i on i.tenant_id = $1 and i.store = $2 and i.path = b.path and i.key = b.key
order by score desc, i.path, i.key
limit $11 offset $12
