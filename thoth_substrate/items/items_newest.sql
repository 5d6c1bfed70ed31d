-- items_newest(tenant text, store text, low text, high text, conditions jsonb, omit_expired boolean, limit_rows bigint, skip_rows bigint) -> ItemRow
-- A branch of names is one range of the key. Conditions compare as LangGraph's own store does: equal as JSON, greater and less as text.
with asked as materialized (
    select c ->> 'field' as field, c ->> 'operator' as operator, c -> 'value' as value, c ->> 'text' as text
    from jsonb_array_elements($5::jsonb) c(c)
)
select i.namespace, i.key, i.value::text, i.created_at, i.updated_at, null::double precision as score
from thoth.substrate_items i
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
order by i.updated_at desc, i.number desc
limit $7 offset $8
