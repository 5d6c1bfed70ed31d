-- note(tenant text, purge_id uuid, gone jsonb, anew jsonb, row_ids bigint[]) -> -
-- Counts are added in the transaction that did what they count: a receipt never says more than happened.
update thoth.substrate_purges p
set receipt = p.receipt || jsonb_build_object(
    'gone', (select coalesce(jsonb_object_agg(key, n), '{}') from (
        select key, sum(value::bigint) as n
        from (select * from jsonb_each_text(p.receipt -> 'gone') union all select * from jsonb_each_text($3)) u group by key
    ) summed),
    'anew', (select coalesce(jsonb_object_agg(key, n), '{}') from (
        select key, sum(value::bigint) as n
        from (select * from jsonb_each_text(p.receipt -> 'anew') union all select * from jsonb_each_text($4)) u group by key
    ) summed),
    'rows', (p.receipt -> 'rows') || to_jsonb($5::bigint[])
)
where p.tenant_id = $1 and p.purge_id = $2
