-- held(tenant text, file_id uuid, claim uuid) -> LiveSlices
-- The file under lock, if this attempt still holds it, with the slices of the version before.
select slice_ids from thoth.substrate_files
where tenant_id = $1 and file_id = $2 and claim = $3 and state = 'ingesting'
for no key update
