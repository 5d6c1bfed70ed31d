-- imports_gone(tenant text, sources text[]) -> -
-- Of a source of which nothing is left, the files are forgotten too, with where they lay.
delete from thoth.substrate_imports i
where i.tenant_id = $1 and i.source = any ($2::text[])
    and not exists (select from thoth.substrate_external_ids x where x.tenant_id = $1 and x.source = i.source)
