-- known_external(tenant text, source text, external_id text) -> Made
-- What was made of a thing of another system before: storing it again would be in vain.
select slice_id from thoth.substrate_external_ids where tenant_id = $1 and source = $2 and external_id = $3
