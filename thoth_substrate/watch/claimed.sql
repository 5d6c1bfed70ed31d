-- claimed(tenant text, file_ids uuid[], claim uuid) -> Claimed
-- From now on these are being taken in. The attempt counts at its beginning, and the next comes later: what kills its process does not come first for ever.
update thoth.substrate_files
set state = 'ingesting', claim = $3, attempts = least(attempts + 1, 1000)::smallint,
    not_before = thoth.substrate_now() + case when attempts < 1 then interval '0' else least(interval '30 seconds' * power(2, least(attempts, 8)), interval '1 hour') end
where tenant_id = $1 and file_id = any ($2::uuid[])
returning file_id, root, path, version, attempts
