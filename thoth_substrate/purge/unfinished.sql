-- unfinished(tenant text) -> Begun
-- Purges that were begun and not finished, the oldest first.
select purge_id, slice_ids from thoth.substrate_purges where tenant_id = $1 and receipt ->> 'state' <> 'done' order by purge_id
