-- namespaces(tenant text, store text, patterns text[], depth integer, omit_expired boolean, limit_rows bigint, skip_rows bigint) -> NamespaceRow
-- Which namespaces there are, cut to a depth, in the order of their written form. Every pattern must match the whole one.
select named.labels
from (
    select distinct i.namespace[1:coalesce($4, cardinality(i.namespace))] as labels
    from thoth.substrate_items i
    where i.tenant_id = $1 and i.store = $2 and array_to_string(i.namespace, '.') ~ all ($3::text[])
      and (not $5 or i.expires_at is null or i.expires_at > thoth.substrate_now())
) named
order by array_to_string(named.labels, '.') collate "default"
limit $6 offset $7
