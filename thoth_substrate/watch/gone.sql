-- gone(tenant text, file_id uuid) -> LiveSlices
-- The file under lock, unless it is retired already, with the slices of its live version.
select slice_ids from thoth.substrate_files
where tenant_id = $1 and file_id = $2 and state <> 'retired'
for no key update
