-- known_ids(source text, external_ids text[]) -> KnownId
-- Which messages of a batch are here already: they are counted as duplicates and never travel through the journal.
select k.external_id
from thoth.substrate_external_ids k
where k.tenant_id = thoth.substrate_tenant() and k.source = $1 and k.external_id = any($2)
