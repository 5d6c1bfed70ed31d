-- Which of these slices still have their words.
select slice_id from thoth.substrate_slices where tenant_id = %(tenant)s and slice_id = any(%(ids)s) and released_at is null
