-- by_handle(tenant text, handle text) -> Handled
-- A handle belongs to the recall that showed it; people mean the newest. Bounded: older than a thousand recalls is stale.
select (shown_line ->> 'slice_id')::uuid as slice_id, (shown_line ->> 'row_id')::bigint as row_id
from (
    select l.asked_at, l.shown
    from thoth.substrate_recall_log l
    where l.tenant_id = $1
    order by l.asked_at desc
    limit 1000
) recent
cross join lateral jsonb_array_elements(recent.shown) shown_line
where shown_line ->> 'handle' = $2
order by recent.asked_at desc
limit 1
