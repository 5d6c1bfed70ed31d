-- find_import(source text, file_hash bytea) -> Earlier
-- How far this file was read by an earlier import.
select i.position, i.imported, i.finished_at is not null as finished
from thoth.substrate_imports i
where i.tenant_id = thoth.substrate_tenant() and i.source = $1 and i.file_hash = $2
