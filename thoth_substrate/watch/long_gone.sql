-- long_gone(tenant text, host text, root text, keep interval) -> -
-- Files that were retired long ago are written down no more; a profile of logs keeps nothing for ever either.
delete from thoth.substrate_files
where tenant_id = $1 and host = $2 and root = $3 and state = 'retired' and seen_at < thoth.substrate_now() - $4::interval
