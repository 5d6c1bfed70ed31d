-- log_appended(tenant text, store text, path text, namespace text[], entries jsonb) -> Written
-- Entries in their order, each under its number.
with given as materialized (
    select e.entry, nextval('thoth.substrate_item_numbers') as number
    from (select entry from jsonb_array_elements($5::jsonb) with ordinality e(entry, at) order by at) e
)
insert into thoth.substrate_items (tenant_id, store, path, key, namespace, value, number, said, noted)
select $1, $2, $3, lpad(number::text, 20, '0'), $4::text[], entry -> 'value', number, entry ->> 'said',
    case when entry ->> 'said' is not null then number end
from given order by number
returning namespace, key, number, noted
